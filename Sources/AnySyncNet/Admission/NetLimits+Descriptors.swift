extension NetLimits {
    /// The same with no more connections than there are descriptors for, less a reserve for everything else that a process
    /// opens: its store, its log, name resolution.
    ///
    /// - Parameter available: descriptors that may still be opened.
    package func fitted(toDescriptors available: Int) -> NetLimits {
        let places = max(4, available - min(descriptorReserve, available / 2))
        var fitted = self
        fitted.unfinishedHandshakes = min(unfinishedHandshakes, max(2, places / 4))
        fitted.connections = min(connections, max(2, places - fitted.unfinishedHandshakes))
        return fitted
    }

    var places: ConnectionPlaceLimits {
        ConnectionPlaceLimits(all: connections, perAccount: connectionsPerAccount, perAddress: connectionsPerAddress)
    }
}
