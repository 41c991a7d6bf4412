/// An actor without state of its own, for code that must run on a loop.
public actor LoopActor {
  /// The loop this actor runs on.
  public nonisolated let loop: EventLoop

  /// The loop, as the executor of this actor.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    loop.asUnownedSerialExecutor()
  }

  /// Creates an actor on a loop.
  public init(_ loop: EventLoop) { self.loop = loop }

  /// Runs a closure on the loop's thread, where it may make clients and servers and await them.
  public func run<Value: Sendable, Failure: Error>(
    _ body: @Sendable (isolated LoopActor) async throws(Failure) -> Value
  ) async throws(Failure) -> Value {
    // With the preference, awaits inside stay on the loop instead of taking turns elsewhere.
    try await withTaskExecutorPreference(loop) { () async throws(Failure) in try await body(self) }
  }
}
