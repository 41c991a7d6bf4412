import Host

/// The target of one worker's journeys, reset for each journey.
struct WorkerTarget: Sendable {
  /// Returns the context of scripts, with an observer of what they do.
  let context: @Sendable (any RunObserver) -> ScriptContext
  /// Resets an emulated project; does nothing on a real one.
  ///
  /// Seeds the emulator's random values. The same attempt name always gives the same sequence.
  let renew: @Sendable (_ attempt: String) async -> Void
  /// Closes what only this worker used.
  let close: @Sendable () async -> Void

  /// Whether the target is the run's own emulator, so that what journeys leave there ends with it.
  let isInside: Bool

  /// Creates a worker's target.
  init(
    isInside: Bool,
    context: @escaping @Sendable (any RunObserver) -> ScriptContext,
    renew: @escaping @Sendable (_ attempt: String) async -> Void,
    close: @escaping @Sendable () async -> Void
  ) {
    self.isInside = isInside
    self.context = context
    self.renew = renew
    self.close = close
  }
}
