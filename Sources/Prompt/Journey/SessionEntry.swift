struct SessionEntry: Equatable {
  /// An expectation that an observed value meets.
  struct Expected: Equatable {
    let source: String
    /// Whether it is the exact value or only its shape.
    let isExact: Bool
  }

  let number: Int
  let text: String
  let isExpression: Bool
  var isGood = false
  /// The code of the error that it raised.
  var code: String?
  var expected: [Expected] = []
}
