/// Colours of a terminal, or none.
struct TextStyle {
  /// Whether there are colours.
  let isColoured: Bool

  /// Colours where a person looks at a terminal that has them and does not refuse them.
  ///
  /// `NO_COLOR` counts when it is not empty, as no-color.org has it.
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

  /// The colour of an outcome.
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
