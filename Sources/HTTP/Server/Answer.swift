/// How a handler answers: at once, or after waiting for something.
public enum Answer: Sendable {
  /// The answer is ready.
  case now(ServerResponse)

  /// The answer needs waiting; the work runs as a task on the server's event loop.
  case later(@Sendable () async -> ServerResponse)
}
