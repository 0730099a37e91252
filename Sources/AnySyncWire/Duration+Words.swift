extension Duration {
    /// A time for people, such as `350 ms`, `27 s`, `5 minutes`: one unit, in whole numbers, rounded down.
    package var inWords: String {
        let time = max(self, .zero)
        let seconds = time.components.seconds
        switch seconds {
        case 0: return "\(time.components.attoseconds / 1_000_000_000_000_000) ms"
        case ..<120: return "\(seconds) s"
        case ..<7200: return "\(seconds / 60) minutes"
        case ..<172_800: return "\(seconds / 3600) hours"
        default: return "\(seconds / 86_400) days"
        }
    }
}
