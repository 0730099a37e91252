internal import CRE2

/// A regular expression for `$regex`, as RE2 and Go understand it.
///
/// It comes from a client; RE2 takes time in proportion to the text whatever the pattern is, and bounded memory.
struct TextPattern: Hashable, Sendable {
    struct Failure: Error {
        let reason: String
    }

    /// The longest pattern, in bytes.
    static let maximumByteCount = 1024
    /// What a pattern may take, in bytes, that for matching it included.
    private static let memory = 1 << 20

    private let source: String
    private let ignoresCase: Bool
    private let compiled: CompiledPattern

    /// Reads a pattern.
    ///
    /// - Throws: ``Failure``.
    init(_ source: String, ignoresCase: Bool = false) throws(Failure) {
        guard source.utf8.count <= Self.maximumByteCount else {
            throw Failure(reason: "it has more than \(Self.maximumByteCount) bytes")
        }
        var reason = [CChar](repeating: 0, count: 256)
        var text = source
        let handle = text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { chars in
                // A string without bytes may have no address.
                withUnsafePointer(to: CChar(0)) { nothing in
                    any_pattern_new(
                        chars.baseAddress ?? nothing, chars.count, ignoresCase, Self.memory, &reason, reason.count)
                }
            }
        }
        guard let handle else {
            let bytes = reason.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
            throw Failure(reason: String(decoding: bytes, as: UTF8.self))
        }
        self.source = source
        self.ignoresCase = ignoresCase
        compiled = CompiledPattern(handle)
    }

    static func == (left: TextPattern, right: TextPattern) -> Bool {
        left.source == right.source && left.ignoresCase == right.ignoresCase
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(source)
        hasher.combine(ignoresCase)
    }

    /// Whether a part of the text fits.
    func matches(_ text: String) -> Bool {
        compiled.matches(text)
    }
}

/// Owns what RE2 made of a pattern.
///
/// Unchecked because of the pointer: what it points to never changes, and RE2 lets any number of threads match with it
/// (re2.h, "RE2 is thread-safe").
private final class CompiledPattern: @unchecked Sendable {
    private let handle: OpaquePointer

    init(_ handle: OpaquePointer) {
        self.handle = handle
    }

    deinit {
        any_pattern_free(handle)
    }

    func matches(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { chars in
                withUnsafePointer(to: CChar(0)) { nothing in
                    any_pattern_matches(handle, chars.baseAddress ?? nothing, chars.count)
                }
            }
        }
    }
}
