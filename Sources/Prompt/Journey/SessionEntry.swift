/// A text of a session and what came of it.
struct SessionEntry: Equatable {
  /// What one may expect of a value that was seen.
  struct Expected: Equatable {
    /// In Lua.
    let source: String
    /// Whether it is the very value, or only its shape.
    let isExact: Bool
  }

  let number: Int
  let text: String
  let isExpression: Bool
  /// Whether it did what it said.
  var isGood = false
  /// The code of what it raised.
  var code: String?
  /// What to expect of each of its values.
  var expected: [Expected] = []
}
