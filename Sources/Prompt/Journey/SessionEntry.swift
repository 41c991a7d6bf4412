/// An entry of a session and its result.
struct SessionEntry: Equatable {
  /// An expectation that an observed value meets.
  struct Expected: Equatable {
    /// The Lua source of the expectation.
    let source: String
    /// Whether it is the exact value or only its shape.
    let isExact: Bool
  }

  let number: Int
  let text: String
  let isExpression: Bool
  /// Whether it ran without an error.
  var isGood = false
  /// The code of the error that it raised.
  var code: String?
  /// The expectations for its values.
  var expected: [Expected] = []
}
