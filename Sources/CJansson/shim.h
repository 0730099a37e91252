#pragma once
#include <jansson.h>

// Macros of the library as functions, for Swift imports no macro that takes arguments.

static inline int cjansson_type(const json_t *value) {
    return (int) json_typeof(value);
}

static inline void cjansson_release(json_t *value) {
    json_decref(value);
}

static inline int cjansson_error(const json_error_t *error) {
    return (int) json_error_code(error);
}
