/// A module or a class with all that it has.
public struct ReferencePage: Sendable {
  /// What it is about.
  public enum Subject: String, Sendable {
    case module, `class`
  }

  /// What it is about.
  public let subject: Subject
  /// What scripts require (`luath.json`), or the name that `tostring` and errors show (`Auth`).
  public let name: String
  /// What it is for, in one sentence.
  public let summary: String
  /// More about it; empty when the summary says all.
  public let text: String
  /// What it has.
  public let entries: [ReferenceEntry]

  /// Describes a module or a class.
  public init(
    _ subject: Subject, _ name: String, _ summary: String, text: String = "",
    entries: [ReferenceEntry]
  ) {
    self.subject = subject
    self.name = name
    self.summary = summary
    self.text = text
    self.entries = entries
  }
}
