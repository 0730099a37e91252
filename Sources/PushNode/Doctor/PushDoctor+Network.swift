import AnySyncNet

// From the node's names to a call that it answered.
extension PushDoctor {
    func networkStages(_ probe: DoctorProbe?, _ status: PushAccountStatus) -> [DoctorStage] {
        guard let probe else {
            let reason = status.isEnabled ? "push is not running" : "push is off"
            return [.resolution, .connect, .tls, .handshake, .encryption, .roundTrip].map {
                .notChecked($0, because: reason)
            }
        }
        return [
            examineResolution(probe), examineConnect(probe), examineTLS(probe), examineHandshake(probe),
            examineEncryption(probe, status), examineRoundTrip(probe),
        ]
    }

    private func examineResolution(_ probe: DoctorProbe) -> DoctorStage {
        let details = probe.hosts.map { host, result in
            switch result {
            case .success([host]): DoctorStage.Detail(host, "an IP address")
            case .success(let addresses): DoctorStage.Detail(host, addresses.joined(separator: ", "))
            case .failure(let error): DoctorStage.Detail(host, "\(error)")
            }
        }
        let failed = probe.hosts.filter { (try? $0.result.get()) == nil }.map(\.host)
        guard !failed.isEmpty else {
            return DoctorStage(.resolution, .ok, "Every host of the node has an address.", details: details)
        }
        return DoctorStage(
            .resolution, failed.count == probe.hosts.count ? .fail : .warning,
            "No address is found for \(failed.joined(separator: ", ")).",
            fix: "Check the spelling in push.addrs and the name servers of this device.", details: details
        )
    }

    private func examineConnect(_ probe: DoctorProbe) -> DoctorStage {
        guard !probe.attempts.isEmpty else { return .notChecked(.connect, because: "the node has no address to call") }
        var details = probe.attempts.map { attempt in
            DoctorStage.Detail(
                "\(attempt.address)", attempt.isPast(.connect) ? "connected" : attempt.error.map { "\($0)" } ?? ""
            )
        }
        if probe.leftOut > 0 { details.append(DoctorStage.Detail("not tried", "\(probe.leftOut) more addresses")) }
        // A name with an IPv6 address on a device without is as usual: one way for each configured address will do.
        let configured = Set(probe.attempts.map(\.configured))
        let reached = Set(probe.attempts.filter { $0.isPast(.connect) }.map(\.configured))
        guard !reached.isEmpty else {
            return DoctorStage(
                .connect, .fail, "No address of the node answers.",
                fix: "Check host and port in push.addrs, the network and its firewall, and whether the node runs.",
                details: details
            )
        }
        guard reached == configured else {
            let silent = configured.subtracting(reached).map(\.description).sorted().joined(separator: ", ")
            return DoctorStage(
                .connect, .warning, "The node answers, but not at \(silent).",
                fix: "Take what does not answer out of push.addrs, or have the node listen there.", details: details
            )
        }
        return DoctorStage(.connect, .ok, "The node answers at every address.", details: details)
    }

    private func examineTLS(_ probe: DoctorProbe) -> DoctorStage {
        let reached = probe.attempts.filter { $0.isPast(.connect) }
        guard !reached.isEmpty else { return .notChecked(.tls, because: "no address answers") }
        let failed = reached.filter { $0.error?.doctorStage == .tls }
        let details = reached.map { attempt in
            let error = attempt.isPast(.tls) ? nil : attempt.error
            return DoctorStage.Detail(
                "\(attempt.address)", error.map { "\($0)" } ?? "the node is who it should be"
            )
        }
        guard failed.count == reached.count else {
            // A node that does not offer one kind is as it should be.
            let isOdd = failed.contains { $0.error?.isKindNotOffered == false }
            return DoctorStage(
                .tls, isOdd ? .warning : .ok, "TLS is good and the node has proved its peer id.",
                fix: isOdd ? "See which address fails below, and take it out of push.addrs." : nil, details: details
            )
        }
        let error = failed.compactMap(\.error).first { !$0.isKindNotOffered } ?? failed[0].error
        return DoctorStage(
            .tls, .fail, "TLS fails: \(Self.sentence(error)).", fix: Self.fix(ofTLS: error), details: details
        )
    }

    private static func fix(ofTLS error: TransportError?) -> String {
        switch error {
        case .wrongPeer(_, let found):
            "If the node has a new identity and you trust the address, set push.peerId to \(found); if not, correct "
                + "push.addrs."
        case .certificate(.notYetValid), .certificate(.expired): "Set the clock of this device right."
        case .tls(.refusedByPeer), .tls(.applicationProtocol):
            "Ask the node's operator which kinds of address it offers, and set push.addrs to those."
        default: "Check that push.addrs is a push node's, and that nothing on the way answers in its place."
        }
    }

    private func examineHandshake(_ probe: DoctorProbe) -> DoctorStage {
        let past = probe.attempts.filter { $0.isPast(.tls) }
        guard !past.isEmpty else { return .notChecked(.handshake, because: "no connection came that far") }
        let details = past.map { attempt in
            let text =
                switch attempt.result {
                case .success(let connection):
                    "version \(connection.version), software \(connection.remoteClientVersion), "
                        + "in \(Self.milliseconds(attempt.duration))"
                case .failure(let error): "\(error)"
                }
            return DoctorStage.Detail("\(attempt.address)", text)
        }
        let identity = account.runtime?.network.endpoint.identity
        let accepted = (identity?.acceptedVersions ?? []).map(String.init).joined(separator: ", ")
        let ours = "ours is \(identity?.version ?? 0), accepting \(accepted)"
        let failures = past.compactMap(\.error)
        guard let connection = past.compactMap(\.connection).first else {
            return DoctorStage(
                .handshake, .fail, "The node turns us away: \(Self.sentence(failures.first)) (\(ours)).",
                fix: "Update this software or the node, so that both speak one protocol version.", details: details
            )
        }
        return DoctorStage(
            .handshake, failures.isEmpty ? .ok : .warning,
            "Both sides agree on protocol version \(connection.version) (\(ours)).", details: details
        )
    }

    private func examineEncryption(_ probe: DoctorProbe, _ status: PushAccountStatus) -> DoctorStage {
        let possible = probe.attempts.compactMap(\.connection)
        let best = possible.first(where: \.isEncrypted) ?? possible.first
        var path = best.map(PushNodePath.init)
        // What counts is the connection that is in use.
        if case .connected(let live) = status.activity?.client.state { path = live }
        guard let path else { return .notChecked(.encryption, because: "there is no connection to the node") }
        guard !path.isEncrypted else {
            let isLasting = status.encryptedOnly != nil
            return DoctorStage(
                .encryption, .ok,
                "The connection is encrypted (\(path.kind))"
                    + (isLasting ? ", and no other is made with this node." : "."))
        }
        return DoctorStage(
            .encryption, .warning,
            "The connection is not encrypted (\(path.kind)): whoever sits on the path can read tokens, topics and "
                + "identities, and make calls as this account, such as registering another phone. Messages stay sealed.",
            fix: best?.isEncrypted == true
                ? "The node offers an encrypted kind, which takes over within ten minutes, and is all that is used then."
                : "Use a node that offers tls+yamux or quic, or ask its operator to."
        )
    }

    private func examineRoundTrip(_ probe: DoctorProbe) -> DoctorStage {
        guard let call = probe.call else {
            return .notChecked(.roundTrip, because: "there is no connection to call over")
        }
        let details = [DoctorStage.Detail("connection", "\(call.path.kind)://\(call.path.remoteAddress)")]
        let duration = Self.milliseconds(call.duration)
        switch call.topics {
        case .success where call.duration > .seconds(2):
            return DoctorStage(
                .roundTrip, .warning, "The node answered a call, but it took \(duration).",
                fix: "Check the network between this device and the node, and the node's load.", details: details
            )
        case .success:
            return DoctorStage(.roundTrip, .ok, "The node answered a call in \(duration).", details: details)
        case .failure(let error):
            return DoctorStage(
                .roundTrip, .fail, "The node did not answer a call well: \(PushEvent.text(of: error)).",
                fix: "Ask the node's operator to look at its log.", details: details
            )
        }
    }

    static func milliseconds(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        return "\(seconds * 1000 + attoseconds / 1_000_000_000_000_000) ms"
    }

    private static func sentence(_ error: TransportError?) -> String {
        error.map { PushEvent.text(of: $0) } ?? "unknown"
    }
}

extension TransportError {
    /// Whether the peer is well, but does not offer this kind of connection.
    fileprivate var isKindNotOffered: Bool {
        switch self {
        case .tls(.refusedByPeer(alert: 120)), .tls(.applicationProtocol): true
        default: false
        }
    }
}

extension DoctorStage.Name: Comparable {
    /// The order of a report.
    public static func < (left: Self, right: Self) -> Bool { left.position < right.position }

    private var position: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
