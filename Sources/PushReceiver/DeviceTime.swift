import FoundationEssentials

/// The device's clock, where the app does not bring its own.
public enum DeviceTime {
    /// The time in seconds since 1970.
    public static func seconds() -> Int64 {
        Int64(Date().timeIntervalSince1970)
    }
}
