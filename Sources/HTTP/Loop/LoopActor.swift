/// A stateless actor, for code that must run on a loop.
public actor LoopActor {
  /// The loop this actor runs on.
  public nonisolated let loop: EventLoop

  /// The loop as the executor.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    loop.asUnownedSerialExecutor()
  }

  /// Creates an actor on a loop.
  public init(_ loop: EventLoop) { self.loop = loop }

  /// Runs a closure on the loop's thread, where it may create and await clients and servers.
  public func run<Value: Sendable, Failure: Error>(
    _ body: @Sendable (isolated LoopActor) async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    // The preference keeps awaits inside on the loop's thread.
    try await withTaskExecutorPreference(loop) { () async throws(Failure) in try await body(self) }
  }
}
