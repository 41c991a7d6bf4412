/// How a handler answers: at once, after waiting for something, or bit by bit.
public enum Answer: Sendable {
  /// The answer is ready.
  case now(ServerResponse)

  /// The answer needs waiting; the work runs as a task on the server's event loop.
  case later(@Sendable () async -> ServerResponse)

  /// The answer begins with this status, these headers and this body, and goes on with what is sent
  /// on the stream, which the closure receives on the loop's thread.
  case stream(ServerResponse, opened: @Sendable (ServerStream) -> Void)
}
