public import System

/// A condition that a script can wait for.
public enum PageCondition: Sendable {
  /// The URL matches.
  case address(AddressPattern)
  /// At least one matching element is visible.
  case seen(ElementPath)
  /// No matching element is visible.
  case gone(ElementPath)
  /// The body of a JavaScript function returns a truthy value.
  case script(String, [JSON])

  /// The description in error messages.
  var words: String {
    switch self {
    case .address(let pattern): "the address \(Page.place(pattern.text))"
    case .seen(let path): path.words
    case .gone(let path): "the end of \(path.words)"
    case .script: "what the function looks for"
    }
  }
}

extension Page {
  /// Waits until a condition holds.
  public func wait(
    until condition: PageCondition, within limit: Duration? = nil
  ) async throws(PageError) {
    let limit = limit ?? timeout
    let deadline = ContinuousClock.now + limit
    var round = 0
    while true {
      if try await holds(condition) { return }
      guard ContinuousClock.now < deadline else {
        throw await placed(
          PageError(
            .timedOut, "\(condition.words) did not come within \(limit)",
            hint: "allow more time with timeout, or look at page:screenshot()"))
      }
      try await pause(round)
      round += 1
    }
  }

  private func holds(_ condition: PageCondition) async throws(PageError) -> Bool {
    switch condition {
    case .address(let pattern): return pattern.matches(try await address())
    case .seen(let path): return try await count(path) > 0
    case .gone(let path): return try await count(path) == 0
    case .script(let text, let arguments):
      return try await command("run a script in the page") { session throws(WebDriverError) in
        // The script runs in its own function, so that its `return` only ends that one.
        let script = """
          const f = new Function(arguments[0]);
          return Promise.resolve(f.apply(null, arguments[1])).then(Boolean);
          """
        let answer = try await session.execute(script, [.string(text), .array(arguments)])
        return answer.bool ?? false
      }
    }
  }
}
