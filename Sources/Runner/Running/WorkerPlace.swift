public import Scripting

/// Where one worker's journeys run: a target of its own, which begins anew for each journey.
public struct WorkerPlace: Sendable {
  /// What scripts find around them, with whoever hears what they do.
  public let context: @Sendable (any RunObserver) -> ScriptContext
  /// Puts an emulated project back to its beginning; does nothing on a real one.
  public let renew: @Sendable () async -> Void
  /// Ends what only this worker used.
  public let close: @Sendable () async -> Void

  /// Describes a place.
  public init(
    context: @escaping @Sendable (any RunObserver) -> ScriptContext,
    renew: @escaping @Sendable () async -> Void, close: @escaping @Sendable () async -> Void
  ) {
    self.context = context
    self.renew = renew
    self.close = close
  }
}
