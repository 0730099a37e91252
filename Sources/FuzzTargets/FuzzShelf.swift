import PushReceiver

/// Reads any bytes as a shelf's file, as a failing disk or another program could leave it; what is read must be written and
/// read again as the same, and show what comes.
public func fuzzShelf(_ bytes: [UInt8]) {
    guard var shelf = try? NotificationShelf(bytes, capacity: 4) else { return }
    precondition(shelf.shown.count <= 8)
    let written = shelf.encoded()
    guard let again = try? NotificationShelf(written, capacity: 4) else {
        preconditionFailure("what was written can not be read")
    }
    precondition(again.shown == shelf.shown && again.encoded() == written)
    let receiver = NotificationReceiver(keys: KeyTable())
    let generic = receiver.receive(["x-any-type": "normal", "x-any-group-id": "g"], at: 0)
    guard case .show(let identifier) = shelf.apply(generic, at: .min) else { preconditionFailure("nothing is shown") }
    precondition(shelf.shown.contains(identifier))
    let silent = receiver.receive(["x-any-type": "silent", "x-any-group-id": "g"], at: 0)
    _ = shelf.apply(silent, at: .max)
}
