/// An owner of a libuv handle or request that the loop must see closed before it ends. Belongs to the loop's thread.
package protocol LoopHandle: AnyObject {
    /// The loop is shutting down: close the handle, and tell whoever waits on it.
    func loopIsStopping()
}

/// Something that collects work while jobs run and does it once at the end of the loop's turn, such as one write for
/// all that a turn produced. Belongs to the loop's thread.
package protocol TurnEndObserver: AnyObject {
    func turnEnded()
}
