@testable import Prompt

/// An editor on a screen model, with keys given as the bytes of a terminal.
struct EditorBench {
  var editor: Editor
  var screen: ScreenModel
  let language: Words
  private var renderer: Renderer
  private var decoder = KeyDecoder()
  /// What the last key came to.
  private(set) var outcome = Editor.Outcome.goOn

  init(
    _ entries: [String] = [], columns: Int = 40, rows: Int = 12, prompt: String = "> ",
    usesColours: Bool = true
  ) {
    language = Words()
    editor = Editor(
      prompt: prompt, continuation: "| ", language: language, entries: entries,
      usesColours: usesColours)
    screen = ScreenModel(columns: columns, rows: rows)
    renderer = Renderer(usesColours: usesColours)
    show()
  }

  /// Presses what a terminal would send; a rest that is no whole sequence counts as pressed alone.
  mutating func press(_ bytes: String) {
    press(decoder.feed(Array(bytes.utf8)) + decoder.timeOut())
  }

  mutating func press(_ keys: [Key]) {
    for key in keys {
      outcome = editor.handle(key)
      show()
    }
  }

  mutating func paste(_ text: String) { press("\u{1B}[200~\(text)\u{1B}[201~") }

  var text: String { editor.buffer.text }

  /// The text with a bar where the cursor is.
  var marked: String {
    var buffer = editor.buffer
    buffer.insert("¦")
    return buffer.text
  }

  private mutating func show() {
    let now = editor.screen(columns: screen.columns, rows: screen.rows)
    screen.send(renderer.show(now, columns: screen.columns))
  }
}

/// Bytes of keys.
enum Pressed {
  static func ctrl(_ letter: Character) -> String {
    String(Unicode.Scalar((letter.asciiValue ?? 0) & 0x1F))
  }
  static func alt(_ letter: String) -> String { "\u{1B}" + letter }
  static let up = "\u{1B}[A"
  static let down = "\u{1B}[B"
  static let right = "\u{1B}[C"
  static let left = "\u{1B}[D"
  static let home = "\u{1B}[H"
  static let end = "\u{1B}OF"
  static let delete = "\u{1B}[3~"
  static let backspace = "\u{7F}"
  static let escape = "\u{1B}"
}
