/// How much a store may take of its disk.
public struct StoreLimits: Hashable, Sendable {
    /// The size at which nothing new is taken, in bytes: 16 GiB, some million notifications that wait. What is there is
    /// delivered and deleted as ever, for which an eighth more is kept back.
    public var bytes = 16 << 30
    /// What is left free on the store's disk before nothing new is taken, in bytes.
    public var freeDiskBytes = 64 << 20

    /// The defaults named at each property.
    public init() {}

    /// The most pages of 4096 bytes the file may ever have: deliveries that are matched take room too, and a file that
    /// cannot grow at all could not shrink either.
    var maximumPages: Int { max((bytes + max(bytes / 8, 1 << 20)) / 4096, 1) }
}
