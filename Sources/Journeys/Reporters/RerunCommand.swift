/// The shell command that runs one journey or file again.
struct RerunCommand: Equatable {
  /// Options of the run that decide how a journey runs, such as `--target`.
  private let options: [String]

  init(_ options: [String] = []) { self.options = options }

  /// The command for a journey; nil if its line is not known.
  ///
  /// It selects the journey by its line, and by its name if the line declares several.
  func text(for journey: JourneyRecord) -> String? {
    guard let line = journey.line, let file = Self.operand(journey.file) else { return nil }
    var words = ["luath", "test", "\(file):\(line)"]
    if journey.sharesLine {
      words += ["--select", Self.expression(matching: journey.name.joined(separator: " > "))]
    }
    return Self.line(words + options)
  }

  /// The command for a file with failures outside of journeys.
  func text(forFile file: String) -> String? {
    Self.operand(file).map { Self.line(["luath", "test", $0] + options) }
  }

  /// A path that the command line does not take for an option; nil if no shell command can be printed for it.
  private static func operand(_ path: String) -> String? {
    guard path.unicodeScalars.allSatisfy(isPrintable), !path.isEmpty else { return nil }
    return path.hasPrefix("-") ? "./\(path)" : path
  }

  /// A `--select` expression for a whole name.
  ///
  /// Characters that cannot be printed become `?`, which matches any character. So does the bracket of `##[`, with
  /// which GitHub Actions begins commands.
  static func expression(matching name: String) -> String {
    var pattern = ""
    for character in name {
      if character == "[", pattern.hasSuffix("##") {
        pattern += "?"
      } else if !character.unicodeScalars.allSatisfy(isPrintable) {
        pattern += "?"
      } else {
        if "*?\\\"".contains(character) { pattern += "\\" }
        pattern.append(character)
      }
    }
    return "\"\(pattern)\""
  }

  private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator, .privateUse,
      .unassigned:
      false
    default: true
    }
  }

  private static func line(_ words: [String]) -> String {
    words.map(quoted).joined(separator: " ")
  }

  /// The word in single quotes, unless every shell reads it as it is.
  static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "-_./:,+@%=".utf8.contains(byte)
      }
    }
    return isPlain && !word.isEmpty ? word : "'\(word.replacing("'", with: "'\\''"))'"
  }
}
