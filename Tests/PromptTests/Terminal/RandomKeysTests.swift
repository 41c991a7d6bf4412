import Testing

@testable import Prompt

@Suite(.timeLimit(.minutes(1))) struct RandomKeysTests {
  /// Numbers that are the same each time (splitmix64).
  private struct Numbers: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
  }

  private static let texts: [Character] = [
    "a", "b", "(", ")", " ", "d", "o", "漢", "字", "é", "\u{0301}", "👩", "\u{200D}", "👧", "🇩", "🇪",
    "가",
    "\u{1161}", "\u{202E}", "\u{FE0F}", "❤", "\t", "\u{1B}", "~",
  ]
  private static let keys: [Key] =
    [
      .enter, .metaEnter, .tab, .tab, .backTab, .backspace, .backspace, .metaBackspace, .delete,
      .metaDelete, .escape, .up, .up, .down, .left, .left, .right, .home, .end, .pageUp, .pageDown,
      .wordLeft, .wordRight, .textStart, .textEnd, .unknown,
      .paste("do one\r\ntwo\u{0}\nthree"), .paste("漢字\u{9B}漢字漢字漢字漢字漢字"), .paste(""),
    ] + "abefgkklnpqrstuwxyyz_".map(Key.control) + "bfdyytulc<>pn_.".map(Key.meta)

  private static func isSound(_ buffer: TextBuffer) -> Bool {
    buffer.lines.indices.contains(buffer.cursor.line)
      && (0...buffer.lines[buffer.cursor.line].count).contains(buffer.cursor.column)
  }

  @Test(arguments: [
    (1, 40, 12), (2, 80, 24), (3, 7, 5), (4, 3, 2), (5, 20, 1), (6, 1, 4), (7, 13, 40), (8, 2, 9),
  ]) func `whatever is pressed, what is written shows the same as writing everything`(
    seed: Int, columns: Int, rows: Int
  ) throws {
    var numbers = Numbers(state: UInt64(seed))
    let language = Words()
    language.names.append("a漢字\u{1B}")
    var editor = Editor(
      prompt: "p> ", continuation: "| ", language: language,
      entries: ["old", "do\n  漢 block\nend", "ab 👩‍👧"])
    var renderer = Renderer(usesColours: true)
    var screen = ScreenModel(columns: columns, rows: rows)
    var pressed: [Key] = []
    for _ in 0..<500 {
      let key =
        Bool.random(using: &numbers)
        ? Key.character(Self.texts.randomElement(using: &numbers) ?? "a")
        : Self.keys.randomElement(using: &numbers) ?? .enter
      pressed.append(key)
      if case .finished = editor.handle(key) { _ = editor.handle(.control("u")) }
      try #require(Self.isSound(editor.buffer), "after \(pressed.suffix(20))")
      let now = editor.screen(columns: columns, rows: rows)
      try #require(now.rows.count <= rows)
      screen.send(renderer.show(now, columns: columns))
      var fresh = ScreenModel(columns: columns, rows: rows)
      var first = Renderer(usesColours: true)
      fresh.send(first.show(now, columns: columns))
      // The block may stand lower than at the top.
      try #require(
        Array(screen.cells[(screen.row - now.cursorRow)...].prefix(now.rows.count))
          == Array(fresh.cells.prefix(now.rows.count))
          && screen.column == fresh.column && screen.strange.isEmpty,
        "after \(pressed.suffix(20)): \(screen.lines) \(fresh.lines)")
      if editor.buffer.lines.count > 30 { _ = editor.handle(.control("_")) }
    }
  }
}
