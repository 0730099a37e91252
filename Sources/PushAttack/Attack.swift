import AnySyncNet

/// One attack: how it is played, over what, and against a node with which descriptors.
struct Attack: Sendable {
    let name: String
    /// One line for people.
    let abstract: String
    /// What it is played over, one round each.
    let kinds: [ConnectionKind]
    /// The descriptors that the node may have open.
    var descriptors = Descriptors.asTheyAre
    /// How many times as long as others it is played: until what it fills is full.
    var stretch = 1
    /// Whether it is played a second time, against the node started anew.
    var isRepeatedAfterRestart = false
    /// How often each of the attacker's own notifications may reach its device; `nil` for any number.
    var deliveriesOfEach: Int?
    /// Plays it until the task is cancelled, and closes nothing: the process's end does.
    let play: @Sendable (Site) async throws -> Void

    /// The table of attacks, in the order they are played.
    static let all: [Attack] = [
        .halfMessages, .unreadAnswers, .notifyFlood, .manySpaces, .idlePeers, .silentDialers64, .silentDialers256,
        .oneAccount, .pingFlood, .replay,
    ]
}

/// Where an attack is played, and the notes that it takes.
struct Site: Sendable {
    let node: NodeAddress
    let kind: ConnectionKind
    let scale: Scale
    /// A folder that outlives the attacker's process, until the round's end.
    let folder: String
    let tally = Tally()

    /// Tells that the attack is under way: from now on the honest client measures.
    func begun() {
        Progress.out("BEGUN")
    }
}
