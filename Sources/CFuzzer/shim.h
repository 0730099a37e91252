#pragma once
#include <stddef.h>
#include <stdint.h>

// libFuzzer's own loop, from clang's runtime (its documentation, "Using libFuzzer as a library").
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*test)(const uint8_t *data, size_t size));
