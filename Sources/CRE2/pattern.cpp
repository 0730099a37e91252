#include "CRE2.h"

#include <re2/re2.h>

#include <cstdio>
#include <new>

struct AnyPattern {
    re2::RE2 expression;
};

extern "C" AnyPattern *any_pattern_new(
    const char *text, size_t count, bool ignores_case, size_t memory, char *reason, size_t reason_size) {
    re2::RE2::Options options;
    options.set_encoding(re2::RE2::Options::EncodingUTF8);
    options.set_case_sensitive(!ignores_case);
    options.set_max_mem(static_cast<int64_t>(memory));
    options.set_never_capture(true);
    options.set_log_errors(false);
    auto *pattern = new (std::nothrow) AnyPattern{re2::RE2(re2::StringPiece(text, count), options)};
    if (pattern == nullptr) {
        std::snprintf(reason, reason_size, "there is no memory for it");
        return nullptr;
    }
    if (!pattern->expression.ok()) {
        std::snprintf(reason, reason_size, "%s", pattern->expression.error().c_str());
        delete pattern;
        return nullptr;
    }
    return pattern;
}

extern "C" bool any_pattern_matches(const AnyPattern *pattern, const char *text, size_t count) {
    const re2::StringPiece whole(text, count);
    return pattern->expression.Match(whole, 0, count, re2::RE2::UNANCHORED, nullptr, 0);
}

extern "C" void any_pattern_free(AnyPattern *pattern) {
    delete pattern;
}
