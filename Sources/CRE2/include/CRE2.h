// Regular expressions by RE2, which takes time in proportion to the text whatever the pattern is.
#pragma once

#include <stdbool.h>
#include <stddef.h>

#pragma clang assume_nonnull begin

#ifdef __cplusplus
extern "C" {
#endif

/// A compiled pattern. It never changes, so any number of threads may use it at once.
typedef struct AnyPattern AnyPattern;

/// Compiles a pattern in UTF-8.
///
/// `reason` gets what is wrong with it, ended by a zero and cut to `reason_size`. `memory` is the most bytes that the
/// pattern and matching it may take.
///
/// Returns NULL for what is no pattern, or one that is too large. Whoever gets one frees it.
AnyPattern *_Nullable any_pattern_new(
    const char *text, size_t count, bool ignores_case, size_t memory, char *reason, size_t reason_size);

/// Whether a part of the text, in UTF-8, fits.
bool any_pattern_matches(const AnyPattern *pattern, const char *text, size_t count);

void any_pattern_free(AnyPattern *pattern);

#ifdef __cplusplus
}
#endif

#pragma clang assume_nonnull end
