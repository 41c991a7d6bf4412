/// What a line editor knows of the language that is typed into it.
///
/// All calls come on the editor's thread, between two keys, so each must answer within milliseconds.
/// Positions are counts of UTF-8 bytes from the start of the text.
public protocol EditorLanguage: AnyObject {
  /// Whether the text can be run as it is; otherwise Return begins another line.
  func isComplete(_ text: String) -> Bool

  /// The parts of the text to colour, in their order, without overlaps.
  func colours(of text: String) -> [ColouredPart]

  /// The position of the bracket that belongs to the one at `position`; nil when there is none.
  func partner(of position: Int, in text: String) -> Int?

  /// What could stand at the cursor.
  func completions(of text: String, at cursor: Int) -> Completions

  /// How many blanks a new line begins with that follows this text.
  func indentation(after text: String) -> Int

  /// How many blanks less than that a line begins with whose first word this is, such as `end`; 0 for others.
  func outdent(_ word: String) -> Int
}

/// A part of a text and what it is, which decides its colour.
public struct ColouredPart: Equatable, Sendable {
  /// What a part of a text is.
  public enum Kind: Equatable, Sendable {
    case keyword, name, builtin, number, string, comment, symbol, error
  }

  /// Where it stands, in bytes of UTF-8.
  public let range: Range<Int>
  /// What it is.
  public let kind: Kind

  /// Names what a part of a text is.
  public init(_ range: Range<Int>, _ kind: Kind) {
    self.range = range
    self.kind = kind
  }
}

/// What could stand at the cursor, best first.
public struct Completions: Equatable, Sendable {
  /// One of them.
  public struct Item: Equatable, Sendable {
    /// What replaces the begun word.
    public let text: String
    /// What is shown beside it, such as a signature; empty for nothing.
    public let note: String

    /// Something that could stand there.
    public init(_ text: String, note: String = "") {
      self.text = text
      self.note = note
    }
  }

  /// The word that was begun, which a choice replaces; in bytes of UTF-8.
  public let replaced: Range<Int>
  /// The choices.
  public let items: [Item]

  /// Lists what could stand in place of a begun word.
  public init(replacing replaced: Range<Int>, _ items: [Item]) {
    self.replaced = replaced
    self.items = items
  }
}
