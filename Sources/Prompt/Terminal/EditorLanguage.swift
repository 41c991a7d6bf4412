/// The language support of a line editor.
///
/// Called on the editor's thread between two keys, so each call must return within milliseconds.
/// Positions are UTF-8 byte offsets in the text.
protocol EditorLanguage: AnyObject {
  /// Whether the text is complete; otherwise Return begins another line.
  func isComplete(_ text: String) -> Bool

  /// The parts of the text to color, in order and without overlaps.
  func colours(of text: String) -> [ColouredPart]

  /// The position of the bracket that matches the one at `position`; nil when there is none.
  func partner(of position: Int, in text: String) -> Int?

  func completions(of text: String, at cursor: Int) -> Completions

  /// The indentation of a new line after this text, in blanks.
  func indentation(after text: String) -> Int

  /// How many blanks less to indent a line whose first word is this, such as `end`; 0 for other words.
  func outdent(_ word: String) -> Int
}

/// A part of a text with its kind, which decides its color.
struct ColouredPart: Equatable, Sendable {
  enum Kind: Equatable, Sendable {
    case keyword, name, builtin, number, string, comment, symbol, error
  }

  /// The position in UTF-8 bytes.
  let range: Range<Int>
  /// The kind of the part.
  let kind: Kind

  init(_ range: Range<Int>, _ kind: Kind) {
    self.range = range
    self.kind = kind
  }
}

/// Completions, best first.
struct Completions: Equatable, Sendable {
  /// One completion.
  struct Item: Equatable, Sendable {
    /// The text that replaces the beginning of the word.
    let text: String
    /// Shown beside the text, such as a signature; may be empty.
    let note: String

    init(_ text: String, note: String = "") {
      self.text = text
      self.note = note
    }
  }

  /// The range that a completion replaces, in UTF-8 bytes.
  let replaced: Range<Int>
  /// The completions.
  let items: [Item]

  /// Creates a list of completions for a range.
  init(replacing replaced: Range<Int>, _ items: [Item]) {
    self.replaced = replaced
    self.items = items
  }
}
