import Testing

@testable import Prompt

@Suite struct CompletionTests {
  @Test func `Tab puts in what all choices begin with, and then shows them`() {
    var bench = EditorBench()
    bench.press("a p\t")
    #expect(bench.screen.lines == ["> a pri"])
    bench.press("\t")
    #expect(bench.screen.lines == ["> a pri", "> print    (…)", "  printf", "  private"])
    bench.press("n")
    #expect(bench.screen.lines == ["> a prin", "> print   (…)", "  printf"])
    bench.press(Pressed.escape)
    #expect(bench.screen.lines == ["> a prin"])
    bench.press("\t")
    #expect(bench.marked == "a print¦")
    bench.press("\t\t\r")
    #expect(bench.marked == "a printf¦")
    #expect(bench.outcome == .goOn)
    #expect(bench.screen.lines == ["> a printf"])
  }

  @Test func `the only choice is put in, and nothing is done without any`() {
    var bench = EditorBench()
    bench.press("z\t")
    #expect(bench.marked == "zoo¦")
    bench.press("\t")
    #expect(bench.outcome == .bell)
    bench.press("q\t")
    #expect(bench.outcome == .bell)
    #expect(bench.text == "zooq")
  }

  @Test func `the choices go round, and Shift-Tab goes back`() {
    var bench = EditorBench()
    bench.press("pri\t\t\t\t")
    #expect(bench.screen.lines[1].hasPrefix("> print "))
    bench.press("\u{1B}[Z")
    #expect(bench.screen.lines[3] == "> private")
    bench.press(Pressed.up + "\r")
    #expect(bench.text == "printf")
  }

  @Test func `a key that edits closes the choices and does its work`() {
    var bench = EditorBench()
    bench.press("pri\t(")
    #expect(bench.marked == "pri(¦")
    #expect(bench.screen.lines == ["> pri("])
    bench.press("\u{7F}\t\u{01}")
    #expect(bench.marked == "¦pri")
    #expect(bench.screen.lines == ["> pri"])
  }

  @Test func `many choices are shown in part`() {
    var bench = EditorBench(columns: 20, rows: 7)
    bench.language.names = (1...10_000).map { "key\($0)" }
    bench.press("k\t\t")
    #expect(
      bench.screen.lines == [
        "> key", "> key1", "  key2", "  key3", "  key4", "  key5", "  1 of 10000",
      ])
    bench.press("\u{1B}[Z")
    #expect(bench.screen.lines.last == "  10000 of 10000")
    #expect(bench.screen.lines[5] == "> key10000")
  }

  @Test func `choices of any kind keep within the terminal`() {
    var bench = EditorBench(columns: 10, rows: 6)
    bench.language.names = ["a\u{1B}[2J", "a漢漢漢漢漢漢漢", "a\nb"]
    bench.press("a\t")
    #expect(bench.screen.lines == ["> a", "> a^[[2J", "  a漢漢漢", "  a^Jb"])
    #expect(bench.screen.strange == [])
  }

  @Test func `an answer that does not fit the text is none`() {
    final class Wrong: EditorLanguage {
      func isComplete(_ text: String) -> Bool { true }
      func colours(of text: String) -> [ColouredPart] { [ColouredPart(3..<400, .string)] }
      func partner(of position: Int, in text: String) -> Int? { 1000 }
      func completions(of text: String, at cursor: Int) -> Completions {
        Completions(replacing: 2..<5000, [.init("x"), .init("y")])
      }
      func indentation(after text: String) -> Int { -1 }
      func outdent(_ word: String) -> Int { -1 }
    }
    var editor = Editor(prompt: "> ", continuation: "| ", language: Wrong())
    for key in [Key.paste("abcdef"), .tab, .left, .tab] { _ = editor.handle(key) }
    #expect(editor.buffer.text == "abcdef")
    #expect(editor.screen(columns: 20, rows: 5).rows.count == 1)
  }

  @Test(arguments: [
    ("do\rfi", "do\nfi¦"), ("do\rfin", "do\n  fin¦"), ("do\rfi\u{1F}", "do\n  ¦"),
    // Whoever moved the line themselves has it there.
    ("do\r  fi", "do\n    fi¦"), ("do\ra fi", "do\n  a fi¦"), ("fi", "fi¦"),
    ("do\rx\u{02}fi", "do\n  fi¦x"), ("do\rfi\r", "do\nfi\n  ¦"),
  ])
  func `a word that ends a block goes back by a step while it is typed`(
    _ keys: String, _ marked: String
  ) {
    var bench = EditorBench()
    bench.press(keys)
    #expect(bench.marked == marked)
  }

  @Test func `Tab indents where only blanks stand before it`() {
    var bench = EditorBench()
    bench.press("do\r\t")
    #expect(bench.marked == "do\n    ¦")
  }
}
