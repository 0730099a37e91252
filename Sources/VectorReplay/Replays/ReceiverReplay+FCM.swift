/// Replays a case of receiver.json of kind `fcm`: the request bodies that the node makes for a platform.
func replayFCM(_ vector: JSON) throws {
    throw VectorMismatch("fcm: the node's request bodies are not replayed yet")
}
