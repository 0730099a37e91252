import AnySyncNet
import AnySyncWire

// From the node's names to a call that it answered.
extension PushDoctor {
    func networkStages(_ probe: DoctorProbe?) -> [DoctorStage] {
        guard let probe else { return [] }
        return [
            examineResolution(probe), examineConnect(probe), examineTLS(probe), examineHandshake(probe),
            examineEncryption(probe), examineRoundTrip(probe),
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
        guard !probe.attempts.isEmpty else { return .notChecked(.connect, because: probe.obstacle ?? "") }
        var details = probe.attempts.map { attempt in
            DoctorStage.Detail(
                "\(attempt.address)", attempt.isPast(.connect) ? "connected" : attempt.error.map { "\($0)" } ?? ""
            )
        }
        if probe.leftOut > 0 {
            let count = probe.leftOut == 1 ? "1 more address" : "\(probe.leftOut) more addresses"
            details.append(DoctorStage.Detail("not tried", count))
        }
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
        guard !reached.isEmpty else { return .notChecked(.tls, because: probe.obstacle ?? "") }
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
            .tls, .fail, "TLS fails: \(Self.sentence(error)).", fix: Self.fix(ofTLS: error),
            details: details.filter { $0.value != Self.sentence(error) }
        )
    }

    private static func fix(ofTLS error: TransportError?) -> String {
        switch error {
        case .wrongPeer(_, let found):
            "If the node has a new identity and you trust the address, set push.peerId to \(found); if not, correct "
                + "push.addrs."
        case let error? where error.isAboutTime: "See the clock below."
        case let error? where error.isKindNotOffered:
            "Ask the node's operator which kinds of address it offers, and set push.addrs to those."
        case .tls(.refusedByPeer):
            "The node does not take this device's certificate: update this software or the node, and look at the node's log."
        default: "Check that push.addrs is a push node's, and that nothing on the way answers in its place."
        }
    }

    private func examineHandshake(_ probe: DoctorProbe) -> DoctorStage {
        let past = probe.attempts.filter { $0.isPast(.tls) }
        guard !past.isEmpty else { return .notChecked(.handshake, because: probe.obstacle ?? "") }
        let details = past.map { attempt in
            let text =
                switch attempt.result {
                case .success(let connection):
                    "version \(connection.version), software \(connection.remoteClientVersion), "
                        + "in \(attempt.duration.inWords)"
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
                .handshake, .fail, "The node turns us away: \(Self.sentence(failures.first)).",
                fix: failures.contains(where: \.isAboutVersions)
                    ? "Update this software or the node, so that both speak one protocol version."
                    : "Ask the node's operator to look at its log, which says why.",
                details: details.filter { $0.value != Self.sentence(failures.first) }
            )
        }
        return DoctorStage(
            .handshake, failures.isEmpty ? .ok : .warning,
            "Both sides agree on protocol version \(connection.version) (\(ours)).", details: details
        )
    }

    private func examineEncryption(_ probe: DoctorProbe) -> DoctorStage {
        let possible = probe.attempts.compactMap(\.connection)
        let best = possible.first(where: \.isEncrypted) ?? possible.first
        var path = best.map(PushNodePath.init)
        // What counts is the connection that is in use.
        if let live = probe.livePath { path = live }
        guard let path else { return .notChecked(.encryption, because: probe.obstacle ?? "") }
        guard !path.isEncrypted else {
            let isLasting = account.options.node.flatMap { account.options.dialPolicy.reason(for: $0.peerId) } != nil
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
            return .notChecked(.roundTrip, because: probe.obstacle ?? "")
        }
        let details = [DoctorStage.Detail("connection", "\(call.path.kind)://\(call.path.remoteAddress)")]
        let duration = call.duration.inWords
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

    private static func sentence(_ error: TransportError?) -> String {
        error.map { PushEvent.text(of: $0) } ?? "unknown"
    }
}

extension TransportError {
    /// Whether the two sides speak no common version, as far as can be told.
    fileprivate var isAboutVersions: Bool {
        switch self {
        case .noCommonVersion: true
        case .handshake(let failure): failure.isVersionRefusal || failure.mayBeVersionRefusal
        default: false
        }
    }

    /// Whether one side's certificate is not valid by the other's clock (RFC 8446 §6.2, certificate_expired).
    var isAboutTime: Bool {
        switch self {
        case .certificate(.notYetValid), .certificate(.expired), .tls(.refusedByPeer(alert: 45)): true
        default: false
        }
    }

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
