public import Scripting

/// Where one worker's journeys run: a target of its own, which begins anew for each journey.
public struct WorkerPlace: Sendable {
  /// What scripts find around them, with whoever hears what they do.
  public let context: @Sendable (any RunObserver) -> ScriptContext
  /// Puts an emulated project back to its beginning; does nothing on a real one.
  ///
  /// What is left to chance there is the same whenever the attempt of this name runs, and another for another.
  public let renew: @Sendable (_ attempt: String) async -> Void
  /// Ends what only this worker used.
  public let close: @Sendable () async -> Void

  /// Whether it is an emulator of the run's own, so that what journeys leave there ends with it.
  public let isInside: Bool

  /// Describes a place.
  public init(
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
