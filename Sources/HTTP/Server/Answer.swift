/// A handler's response: immediate, asynchronous, or streamed.
public enum Answer: Sendable {
  case now(ServerResponse)

  /// The response is computed by a task on the server's event loop.
  case later(@Sendable () async -> ServerResponse)

  /// The response starts with this status, headers and body and continues with the stream.
  ///
  /// `opened` receives the stream on the loop's thread.
  case stream(ServerResponse, opened: @Sendable (ServerStream) -> Void)
}
