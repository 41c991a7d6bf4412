public import System

/// The result of one check of `luath doctor`.
public struct DoctorFinding: Sendable {
  public enum Level: String, Sendable {
    case ok
    /// Something that only some uses of luath need, or that may be unexpected.
    case warning
    /// Something that luath needs for the requested use.
    case problem
  }

  /// What was checked, in a word or two.
  public let subject: String
  public let level: Level
  /// The result, without secrets.
  let text: String
  /// The hint; nil if there is no problem.
  let advice: String?

  public static func ok(_ subject: String, _ text: String) -> DoctorFinding {
    DoctorFinding(subject: subject, level: .ok, text: text, advice: nil)
  }

  public static func warning(_ subject: String, _ text: String, _ advice: String) -> DoctorFinding {
    DoctorFinding(subject: subject, level: .warning, text: text, advice: advice)
  }

  public static func problem(_ subject: String, _ text: String, _ advice: String) -> DoctorFinding {
    DoctorFinding(subject: subject, level: .problem, text: text, advice: advice)
  }

  /// The result as one line, and the hint on the next line.
  public func lines(width: Int) -> String {
    func column(_ text: String, _ width: Int) -> String {
      text + String(repeating: " ", count: max(width - text.count, 0)) + "  "
    }
    let line = column(level.rawValue, 7) + column(subject, width) + text + "\n"
    guard let advice, !advice.isEmpty else { return line }
    return line + column("", 7) + column("", width) + "hint: \(advice)\n"
  }

  public var json: JSON {
    var members: JSONObject = [
      "check": .string(subject), "level": .string(level.rawValue), "text": .string(text),
    ]
    if let advice { members["hint"] = .string(advice) }
    return .object(members)
  }
}
