import Testing

@testable import Prompt

@Suite struct EditingTests {
  @Test(arguments: [
    ("typing", "abc", "abc¦"),
    ("Ctrl-A goes to the start", "abc" + Pressed.ctrl("a"), "¦abc"),
    ("Ctrl-E goes to the end", "abc" + Pressed.ctrl("a") + Pressed.ctrl("e"), "abc¦"),
    ("Ctrl-B and Ctrl-F go over a character", "abc\u{02}\u{02}\u{06}", "ab¦c"),
    ("arrows go over a character", "漢字" + Pressed.left + "x", "漢x¦字"),
    ("Alt-B goes to a word's start", "one two.three" + Pressed.alt("b"), "one two.¦three"),
    ("Alt-F goes to a word's end", "one two\u{01}" + Pressed.alt("f"), "one¦ two"),
    ("Escape and then B is Alt-B", "one two" + "\u{1B}b", "one ¦two"),
    ("backspace", "abc\u{7F}", "ab¦"),
    ("Ctrl-D deletes forward", "abc\u{01}\u{04}", "¦bc"),
    ("Delete deletes forward", "abc\u{01}" + Pressed.delete, "¦bc"),
    ("Ctrl-K and Ctrl-Y", "one two\u{01}\u{0B}x\u{19}", "xone two¦"),
    ("Ctrl-U kills to the start", "one two\u{02}\u{15}", "¦o"),
    ("Ctrl-W kills to a blank", "one two.three\u{17}", "one ¦"),
    ("Alt-Backspace kills a word", "one two.three" + Pressed.alt("\u{7F}"), "one two.¦"),
    ("Alt-D kills a word", "one two\u{01}" + Pressed.alt("d"), "¦ two"),
    ("kills in a row are one", "one two three\u{17}\u{17}\u{19}", "one two three¦"),
    (
      "Alt-Y puts an older kill in", "one\u{15}two\u{15}\u{19}" + Pressed.alt("y"), "one¦"
    ),
    ("Ctrl-T exchanges characters", "abc\u{14}", "acb¦"),
    ("Ctrl-T exchanges around the cursor", "abc\u{02}\u{14}", "acb¦"),
    ("Alt-T exchanges words", "one, two" + Pressed.alt("t"), "two, one¦"),
    ("Alt-U makes capitals", "one two\u{01}" + Pressed.alt("u"), "ONE¦ two"),
    ("Alt-L makes small letters", "ONE\u{01}" + Pressed.alt("l"), "one¦"),
    ("Alt-C makes a capital", "oNE\u{01}" + Pressed.alt("c"), "One¦"),
    ("Ctrl-_ takes typing back", "one\u{17}x\u{1F}", "¦"),
    ("Ctrl-_ twice takes a kill back", "one\u{17}x\u{1F}\u{1F}", "one¦"),
    ("Alt-_ brings it again", "one\u{17}\u{1F}" + Pressed.alt("_"), "¦"),
    ("Ctrl-X Ctrl-U takes back", "one\u{18}\u{15}", "¦"),
    ("Ctrl-V puts a control character in", "\u{16}\u{01}", "\u{01}¦"),
    ("Alt-Return begins a line", "one\u{1B}\rtwo", "one\ntwo¦"),
    ("a mark joins the letter before", "e\u{0301}\u{7F}", "¦"),
    ("Ctrl-K at a line's end takes the end", "a\u{1B}\rb\u{10}\u{05}\u{0B}", "a¦b"),
    (
      "Up and Down keep the column", "abcd\u{1B}\rx\u{1B}\refgh\u{02}\u{10}\u{10}", "abc¦d\nx\nefgh"
    ),
    ("Alt-< goes to the text's start", "a\u{1B}\rb" + Pressed.alt("<"), "¦a\nb"),
  ]) func `keys edit`(name: String, keys: String, text: String) {
    var bench = EditorBench()
    bench.press(keys)
    #expect(bench.marked == text, "\(name)")
    #expect(bench.screen.strange == [], "\(name)")
  }

  @Test func `Return runs what is complete and begins a line otherwise`() {
    var bench = EditorBench()
    bench.press("do x\r")
    #expect(bench.marked == "do x\n  ¦")
    #expect(bench.screen.text == "> do x\n|")
    bench.press("end\r")
    #expect(bench.outcome == .finished(.text("do x\n  end")))
  }

  @Test func `Ctrl-C drops the text, and Ctrl-D leaves only when there is none`() {
    var bench = EditorBench()
    bench.press("abc\u{04}")
    #expect(bench.outcome == .bell)
    bench.press("\u{03}")
    #expect(bench.outcome == .finished(.dropped))
    var bare = EditorBench()
    bare.press("\u{03}")
    #expect(bare.outcome == .finished(.interrupted))
    var empty = EditorBench()
    empty.press("\u{04}")
    #expect(empty.outcome == .finished(.ended))
  }

  @Test func `a paste keeps its lines and runs nothing`() {
    var bench = EditorBench()
    bench.paste("one\r\ntwo\rthree\n")
    #expect(bench.text == "one\ntwo\nthree\n")
    #expect(bench.screen.text == "> one\n| two\n| three\n|")
    bench.press("\u{1F}")
    #expect(bench.text == "")
  }

  @Test func `what is typed in a row is taken back at once, and a paste by itself`() {
    var bench = EditorBench()
    bench.press("abc")
    bench.paste("XYZ")
    bench.press("def\u{1F}")
    #expect(bench.text == "abcXYZ")
    bench.press("\u{1F}")
    #expect(bench.text == "abc")
    bench.press("\u{1F}")
    #expect(bench.text == "")
    bench.press("\u{1F}")
    #expect(bench.outcome == .bell)
  }
}
