import PushAPI

/// A forwarder that answers in time, whatever the one does that it hands everything to.
struct PunctualForwarder<Provider: Forwarder>: Forwarder {
    private let provider: Provider
    private let deadline: DeliveryDeadline

    /// - Parameter room: how many tries that were given up the provider's forwarder may still hold.
    init(_ provider: Provider, room: Int) {
        self.provider = provider
        deadline = DeliveryDeadline(room: room)
    }

    var providerName: ProviderName { provider.providerName }

    func message(_ content: NotificationContent, for platform: Platform) throws(PayloadFault) -> Provider.Message {
        try provider.message(content, for: platform)
    }

    func deliver(_ message: Provider.Message, _ delivery: Delivery) async -> DeliveryOutcome {
        await deadline.deliver { [provider] in await provider.deliver(message, delivery) }
    }
}
