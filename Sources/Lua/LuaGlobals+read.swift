extension LuaGlobals {
  /// A place where a global is read.
  public struct Read: Sendable {
    /// The global's name.
    public let name: String
    /// The position of the name, in bytes from the start of the source.
    public let position: Int
    /// Whether the value is only compared, negated, or tested by a condition, `and` or `or`.
    public let isTested: Bool
    /// Whether it is read in a function, so that it may be defined later.
    public let isDeferred: Bool
  }
}
