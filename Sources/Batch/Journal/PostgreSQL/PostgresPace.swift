/// What holds for all processes that work on one journal.
public struct PostgresPace: Sendable, Equatable {
  /// Whether somebody told them to begin nothing until they are told to go on.
  public let isPaused: Bool
  /// The most calls a second that they may make together; nil when nobody has set a limit.
  public let rate: Double?
}
