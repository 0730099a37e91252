internal import AnySyncNet
internal import AnySyncWire

// Where each datagram goes.
extension QUICListener {
    func received(_ datagram: UnsafeRawBufferPointer, _ path: DatagramPath, _ socket: DatagramSocket) {
        switch Datagram(datagram) {
        case .other: strangers.counters.ignored += 1
        case .otherVersion: strangers.tellVersion(datagram, path, socket)
        case .short(let id, let reset):
            if let link = links[id] { return link.receive(datagram, on: path) }
            guard !sayFarewell(to: id, datagram.count, path, socket) else { return }
            strangers.reset(reset, path, socket)
        case .long(let id):
            if let link = links[id] { return link.receive(datagram, on: path) }
            guard !sayFarewell(to: id, datagram.count, path, socket), !isClosed else { return }
            judge(datagram, path, socket)
        }
    }

    /// Answers a datagram of a session that was closed; `false` when it is of none.
    private func sayFarewell(
        to id: ConnectionId, _ size: Int, _ path: DatagramPath, _ socket: DatagramSocket
    ) -> Bool {
        guard closed.contains(id) else { return false }
        if let farewell = closed.answer(to: id, size: size, now: endpoint.eventLoop.now()) {
            farewell.withUnsafeBytes { socket.send($0, on: path) }
        }
        return true
    }

    private func judge(_ datagram: UnsafeRawBufferPointer, _ path: DatagramPath, _ socket: DatagramSocket) {
        switch FirstPacket.judge(datagram, on: path, context, now: endpoint.eventLoop.now()) {
        case .no: strangers.counters.ignored += 1
        case .badToken(let packet): strangers.refuseToken(packet, path, socket)
        case .afterRetry(let packet): strangers.askForProof(packet, path, socket)
        case .yes(let packet):
            // Under load, whoever only pretends to be at an address must not cost more than an answer.
            let now = endpoint.eventLoop.now()
            guard
                packet.isValidated
                    || handshakes.count < limits.handshakesBeforeRetry && strangers.allowsUnproven(now: now)
            else { return strangers.askForProof(packet, path, socket) }
            guard strangers.allows(path, now: now) else { return }
            accept(packet, datagram, path, socket)
        }
    }

    private func accept(
        _ packet: FirstPacket, _ datagram: UnsafeRawBufferPointer, _ path: DatagramPath, _ socket: DatagramSocket
    ) {
        let settings = QUICSettings(endpoint.limits, limits)
        guard
            let (session, own) = QUICSession.listener(
                for: packet, on: path, contexts.current, settings, now: endpoint.eventLoop.now(),
                unixTime: endpoint.unixTime)
        else { return endpoint.count { $0.refused[.tooManyConnections, default: 0] += 1 } }
        let link = QUICLink(
            session, on: socket, remote: path.remote, ownsSocket: false,
            idleTraffic: TokenBucket(perSecond: limits.idleDatagramsPerSecond, now: endpoint.eventLoop.now()))
        link.route = self
        endpoint.count { $0.accepted += 1 }
        let number = nextHandshake
        nextHandshake += 1
        let ticket = endpoint.unproven.enter(from: link.addressGroup, at: endpoint.eventLoop.now()) { [weak self] in
            self?.assumeIsolated { $0.shed(number) }
        }
        // Who has proven its address has come back for it.
        if packet.isValidated { endpoint.unproven.spoke(ticket) }
        let handshake = QUICHandshake(link, as: .listener, endpoint: endpoint, linger: limits.refusalLinger) {
            [weak self] result in
            guard let self else { return }
            assumeIsolated { $0.finished(number, ticket, link, result) }
        }
        handshakes[number] = handshake
        endpoint.count { $0.unfinishedHandshakes += 1 }
        add(own, to: link)
        add(packet.destination, to: link)
        handshake.start()
        link.receive(datagram, on: path)
        if handshake.needsRetry { strangers.askForProof(packet, path, socket) }
    }

    /// Ends a handshake that has to make room for another.
    private func shed(_ number: UInt64) {
        handshakes[number]?.cancel(.closed(.handshakesShed, detail: "too many unfinished handshakes"))
    }

    private func finished(
        _ number: UInt64, _ ticket: Unproven.Ticket, _ link: QUICLink,
        _ result: Result<QUICHandshake.Outcome, TransportError>
    ) {
        endpoint.unproven.leave(ticket)
        handshakes[number] = nil
        endpoint.count { $0.unfinishedHandshakes -= 1 }
        switch result {
        case .failure(let error):
            endpoint.reportRefusal(error, isIncoming: true)
            endpoint.count { $0.refused[error.closeReason, default: 0] += 1 }
        case .success(let outcome):
            let connection = QUICConnection.make(
                outcome, link, isIncoming: true, endpoint, keepAlive: limits.keepAlive)
            guard let connection else { return endpoint.count { $0.refused[.tooManyConnections, default: 0] += 1 } }
            if !ready.put(connection) { connection.requestClose(.shutDown, detail: "the listener is closed") }
        }
    }

    fileprivate func add(_ id: ConnectionId, to link: QUICLink) {
        links[id] = link
        ids[ObjectIdentifier(link), default: []].insert(id)
    }
}

// MARK: - Ids

extension QUICListener: QUICLinkRoute {
    nonisolated func link(_ link: QUICLink, uses id: ConnectionId, _ isUsed: Bool) {
        assumeIsolated { listener in
            guard !isUsed else { return listener.add(id, to: link) }
            listener.links[id] = nil
            listener.ids[ObjectIdentifier(link)]?.remove(id)
        }
    }

    nonisolated func linkEnded(_ link: QUICLink, _ ending: QUICEnding, farewell: [UInt8]?, lifetime: Duration) {
        assumeIsolated { $0.forget(link, farewell, lifetime) }
    }

    private func forget(_ link: QUICLink, _ farewell: [UInt8]?, _ lifetime: Duration) {
        let used = ids.removeValue(forKey: ObjectIdentifier(link)) ?? []
        for id in used { links[id] = nil }
        if let farewell, !used.isEmpty {
            let now = endpoint.eventLoop.now()
            let until = now.advanced(by: min(lifetime, Self.longestFarewell))
            closed.add(farewell, for: Array(used), until: until, now: now)
        }
        closeSocketsIfUnused()
    }

    /// Round trips are measured with the peer's help; memory is not kept at its word.
    private static let longestFarewell = Duration.seconds(5)
}
