/// Terminal colors, if enabled.
struct TextStyle {
  let isColoured: Bool

  /// Enables colors on a terminal that supports them.
  ///
  /// Any non-empty `NO_COLOR` disables them (no-color.org).
  init(columns: Int?, environment: [String: String]) {
    isColoured =
      columns != nil && environment["NO_COLOR", default: ""].isEmpty
      && environment["TERM"] != "dumb"
  }

  func red(_ text: String) -> String { paint(text, "31") }
  func green(_ text: String) -> String { paint(text, "32") }
  func yellow(_ text: String) -> String { paint(text, "33") }
  func bold(_ text: String) -> String { paint(text, "1") }
  func dim(_ text: String) -> String { paint(text, "2") }

  /// Paints a text in the color of an outcome.
  func paint(_ text: String, _ outcome: JourneyOutcome?) -> String {
    switch outcome {
    case .passed: green(text)
    case .failed, .interrupted, nil: red(text)
    case .flaky, .pending: yellow(text)
    case .skipped: dim(text)
    }
  }

  private func paint(_ text: String, _ code: String) -> String {
    isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
