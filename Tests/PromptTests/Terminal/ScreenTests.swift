import Testing

@testable import Prompt

@Suite struct ScreenTests {
  @Test func `wide characters move the cursor by two columns, and do not hang over the margin`() {
    var bench = EditorBench(columns: 6)
    bench.press("漢字漢")
    #expect(bench.screen.lines == ["> 漢字", "漢"])
    #expect(bench.screen.column == 2)
    bench.press(Pressed.left + Pressed.left + "x")
    #expect(bench.screen.lines == ["> 漢x", "字漢"])
  }

  @Test func `a text that fills its row has the cursor in the next one`() {
    var bench = EditorBench(columns: 6)
    bench.press("abcd")
    #expect(bench.screen.lines == ["> abcd"])
    #expect((bench.screen.row, bench.screen.column) == (1, 0))
    bench.press("\u{7F}")
    #expect((bench.screen.row, bench.screen.column) == (0, 5))
  }

  @Test func `control characters and hidden ones are spelled out`() {
    var bench = EditorBench(columns: 60)
    bench.paste("a\u{1B}[31mb\u{202E}c\u{200B}d\u{07}e\u{0}\u{9B}\u{FEFF}")
    #expect(
      bench.screen.text == "> a^[[31mb<U+202E>c<U+200B>d^Ge^@<U+009B><U+FEFF>")
    #expect(bench.screen.strange == [])
    #expect(bench.screen.bells == 0)
  }

  @Test func `marks stand on their letter, and too many are spelled out`() {
    var bench = EditorBench(columns: 60)
    bench.press("e\u{0301}x")
    #expect(bench.screen.text == "> e\u{0301}x")
    #expect(bench.screen.column == 4)
    bench.paste(String(repeating: "\u{0301}", count: 6))
    #expect(bench.screen.text.hasSuffix("<U+0301><U+0301>"))
  }

  @Test func `pictures of several parts leave nothing behind when they go`() {
    var bench = EditorBench(columns: 30)
    bench.press("a👨‍👩‍👧b🇩🇪c")
    bench.press("\u{01}\u{06}\u{04}")
    #expect(bench.text == "ab🇩🇪c")
    #expect(bench.screen.text == "> ab🇩🇪c")
    bench.press("\u{05}\u{7F}\u{7F}")
    #expect(bench.screen.text == "> ab")
  }

  @Test func `a text higher than the screen scrolls with the cursor`() {
    var bench = EditorBench(columns: 20, rows: 4)
    bench.paste((1...10).map { "line \($0)" }.joined(separator: "\n"))
    #expect(bench.screen.lines == ["| line 7", "| line 8", "| line 9", "| line 10"])
    for _ in 0..<6 { bench.press("\u{10}") }
    #expect(bench.screen.lines == ["| line 4", "| line 5", "| line 6", "| line 7"])
    #expect(bench.screen.row == 0)
    bench.press(Pressed.alt("<"))
    #expect(bench.screen.lines == ["> line 1", "| line 2", "| line 3", "| line 4"])
    bench.press(Pressed.alt(">") + "\u{15}\u{7F}")
    #expect(bench.screen.lines == ["| line 6", "| line 7", "| line 8", "| line 9"])
    bench.press("\u{15}")
    for _ in 0..<9 { bench.press("\u{7F}\u{15}") }
    #expect(bench.screen.lines == [">"])
  }

  @Test func `a prompt wider than the terminal is broken like the text`() {
    var bench = EditorBench(columns: 5, prompt: "long prompt> ")
    bench.press("ab")
    #expect(bench.screen.lines == ["long", "promp", "t> ab"])
    bench.press("\u{01}x")
    #expect(bench.screen.lines == ["long", "promp", "t> xa", "b"])
  }

  @Test func `a terminal of one column still takes text`() {
    var bench = EditorBench(columns: 1, rows: 3, prompt: "")
    bench.press("a漢b")
    #expect(bench.text == "a漢b")
    #expect(bench.screen.lines == ["?", "b"])
  }

  @Test func `only what changed is written`() {
    var editor = Editor(prompt: "> ", continuation: "| ", language: Words())
    var renderer = Renderer(usesColours: true)
    _ = editor.handle(.paste((1...20).map { "line \($0)" }.joined(separator: "\n")))
    _ = renderer.show(editor.screen(columns: 80, rows: 24), columns: 80)
    _ = editor.handle(.character("x"))
    #expect(renderer.show(editor.screen(columns: 80, rows: 24), columns: 80) == "x")
  }

  @Test func `words have colours unless they are not wanted`() {
    var editor = Editor(prompt: "", continuation: "", language: Words())
    var renderer = Renderer(usesColours: true)
    _ = editor.handle(.paste("do (x) end"))
    let output = renderer.show(editor.screen(columns: 80, rows: 24), columns: 80)
    #expect(output == "\u{1B}[0;35mdo\u{1B}[m (x) \u{1B}[0;35mend\u{1B}[m")
    for _ in 0..<4 { _ = editor.handle(.left) }
    let brackets = renderer.show(editor.screen(columns: 80, rows: 24), columns: 80)
    #expect(brackets.contains("\u{1B}[0;1;4m(\u{1B}[mx\u{1B}[0;1;4m)"))

    var plain = Editor(prompt: "> ", continuation: "", language: Words(), usesColours: false)
    var plainly = Renderer(usesColours: false)
    _ = plain.handle(.paste("do (x) end"))
    let shown = plainly.show(plain.screen(columns: 80, rows: 24), columns: 80)
    #expect(shown == "> do (x) end")
  }
}
