import Testing

@testable import Prompt

@Suite struct HistoryWalkTests {
  private static let entries = ["print(1)", "do a\nend", "local x = 1", "print(2)"]

  @Test func `Up goes back, Down forth, and the own text is not lost`() {
    var bench = EditorBench(Self.entries)
    bench.press(Pressed.up)
    #expect(bench.marked == "print(2)¦")
    bench.press(Pressed.up + Pressed.up)
    #expect(bench.marked == "do a\nend¦")
    #expect(bench.screen.lines == ["> do a", "| end"])
    bench.press(Pressed.up)
    #expect(bench.text == "print(1)")
    bench.press(Pressed.up)
    #expect(bench.outcome == .bell)
    bench.press(Pressed.down + Pressed.down + Pressed.down + Pressed.down)
    #expect(bench.text == "")
    bench.press("own" + Pressed.alt("p") + Pressed.alt("n"))
    #expect(bench.marked == "own¦")
  }

  @Test func `Up keeps to texts that begin like what is typed`() {
    var bench = EditorBench(Self.entries)
    bench.press("pr" + Pressed.up)
    #expect(bench.text == "print(2)")
    bench.press(Pressed.up)
    #expect(bench.text == "print(1)")
    bench.press(Pressed.up)
    #expect(bench.outcome == .bell)
    bench.press(Pressed.down + Pressed.down)
    #expect(bench.marked == "pr¦")
    bench.press("x" + Pressed.up)
    #expect(bench.marked == "prx¦")
  }

  @Test func `within a block Up and Down go through its lines first`() {
    var bench = EditorBench(Self.entries)
    bench.press("do\r" + "b" + Pressed.up)
    #expect(bench.marked == "do¦\n  b")
    bench.press("\u{01}" + Pressed.up)
    #expect(bench.text == "print(2)")
    bench.press(Pressed.down)
    #expect(bench.marked == "¦do\n  b")
    bench.press(Pressed.down)
    #expect(bench.marked == "do\n¦  b")
  }

  @Test func `a recalled block can be changed, and the change be taken back`() {
    var bench = EditorBench(Self.entries)
    bench.press(Pressed.up + Pressed.up + Pressed.up + Pressed.left + Pressed.up + "x")
    #expect(bench.marked == "dox¦ a\nend")
    bench.press("\u{1F}")
    #expect(bench.text == "do a\nend")
    bench.press("\r")
    #expect(bench.outcome == .finished(.text("do a\nend")))
  }

  @Test func `Ctrl-R finds while its words are typed`() {
    var bench = EditorBench(Self.entries)
    bench.press("own\u{12}PRINT")
    #expect(bench.screen.lines == ["> own", "not found: PRINT"])
    bench.press("\u{7F}\u{7F}\u{7F}\u{7F}\u{7F}print")
    #expect(bench.marked == "¦print(2)")
    #expect(bench.screen.lines == ["> print(2)", "search: print"])
    bench.press("\u{12}")
    #expect(bench.text == "print(1)")
    bench.press("\u{12}")
    #expect(bench.outcome == .bell)
    #expect(bench.screen.lines == ["> print(1)", "not found: print"])
    bench.press("\u{13}")
    #expect(bench.text == "print(2)")
    bench.press("\u{07}")
    #expect(bench.marked == "own¦")
    #expect(bench.screen.lines == ["> own"])
  }

  @Test func `a key that edits ends the search where it is, and Return runs what was found`() {
    var bench = EditorBench(Self.entries)
    bench.press("\u{12}al x\u{06}!")
    #expect(bench.marked == "loca!¦l x = 1")
    bench.press("\u{15}\u{0B}\u{12}end\r")
    #expect(bench.outcome == .finished(.text("do a\nend")))
  }

  @Test func `small letters find capitals, and capitals only themselves`() {
    #expect(HistorySearch.place(of: "print", in: "a Print") == 2..<7)
    #expect(HistorySearch.place(of: "Print", in: "a print") == nil)
    #expect(HistorySearch.place(of: "ä", in: "äxä") == 3..<5)
    #expect(HistorySearch.place(of: "abc", in: "ab") == nil)
  }
}
