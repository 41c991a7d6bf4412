/// The page of a module or class.
public struct ReferencePage: Sendable {
  /// The kind of page.
  public enum Subject: String, Sendable {
    case module, `class`
  }

  /// The kind of page.
  public let subject: Subject
  /// The name that scripts require (`luath.json`), or a class's name in `tostring` and errors (`Auth`).
  public let name: String
  /// The purpose, in one sentence.
  public let summary: String
  /// Further text; may be empty.
  let text: String
  /// The members.
  public let entries: [ReferenceEntry]

  /// Creates a page.
  init(
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
