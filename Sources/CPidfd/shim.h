#pragma once
// Left out of the C library's own module for Swift.
#include <signal.h>
#include <sys/pidfd.h>
