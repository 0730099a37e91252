#pragma once
// Left out of the C library's own module for Swift.
#include <signal.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>

// A function with variable arguments, which Swift cannot call.
static inline int cprocess_set_dumpable(int dumpable) {
    return prctl(PR_SET_DUMPABLE, dumpable, 0, 0, 0);
}
