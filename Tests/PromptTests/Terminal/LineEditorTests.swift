import Foundation
import Testing

@testable import Prompt

@Suite(.serialized, .timeLimit(.minutes(1))) struct LineEditorTests {
  @Test func `a text is typed at a terminal, whose modes are as before afterwards`() throws {
    let history = History()
    let seat = try Seat(history: history)
    let before = seat.modes
    let typing = seat.start()
    try seat.wait { $0.screen.text == ">" && $0.screen.marksPastes }
    #expect(seat.modes != before)
    seat.type("pri\t")
    try seat.wait { $0.screen.lines == ["> pri", "> print    (…)", "  printf", "  private"] }
    seat.type("\r 1")
    try seat.wait { $0.screen.lines == ["> print 1"] }
    seat.type("\r")
    #expect(typing.result() == .text("print 1"))
    #expect(seat.modes == before)
    try seat.wait { !$0.screen.marksPastes }
    #expect(seat.state.screen.lines == ["> print 1"])
    #expect(seat.state.screen.row == 1)
    #expect(history.entries == ["print 1"])
  }

  @Test func `others print above the text, which stays`() throws {
    let seat = try Seat()
    let typing = try seat.begin()
    seat.type("do a\rb")
    try seat.wait { $0.screen.lines == ["> do a", "|   b"] }
    seat.editor.printAbove("one\ntwo \u{1B}[31mred\u{1B}[2J\u{07}\n")
    try seat.wait { $0.screen.lines == ["one", "two red^[[2J^G", "> do a", "|   b"] }
    seat.editor.printAbove("half")
    seat.editor.printAbove(" and half")
    try seat.wait {
      $0.screen.lines == ["one", "two red^[[2J^G", "half and half", "> do a", "|   b"]
    }
    seat.type("c")
    try seat.wait { $0.screen.lines.last == "|   bc" && $0.screen.lines.count == 5 }
    seat.type("\u{03}")
    #expect(typing.result() == .dropped)
    #expect(seat.state.screen.strange == [])
  }

  @Test func `keys typed ahead belong to the next text`() throws {
    let seat = try Seat()
    seat.type("one\rtwo\r")
    let first = seat.start()
    #expect(first.result() == .text("one"))
    #expect(seat.start().result() == .text("two"))
  }

  @Test func `a terminal that becomes narrower shows the text once`() throws {
    let seat = try Seat(columns: 30, rows: 8)
    let typing = try seat.begin()
    seat.type("do aaaa bbbb cccc\rdddd")
    try seat.wait { $0.screen.lines == ["> do aaaa bbbb cccc", "|   dddd"] }
    seat.resize(columns: 12, rows: 8)
    try seat.wait { $0.screen.lines == ["> do aaaa bb", "bb cccc", "|   dddd"] }
    seat.type(" end\r")
    #expect(typing.result() == .text("do aaaa bbbb cccc\n  dddd end"))
  }

  @Test func `another thread interrupts, and a terminal that goes away ends`() throws {
    let seat = try Seat()
    let typing = try seat.begin()
    seat.editor.interrupt()
    #expect(typing.result() == .interrupted)
    let again = seat.start()
    seat.hangUp()
    #expect(again.result() == .ended)
  }

  @Test func `ten thousand pasted lines are one text`() throws {
    let seat = try Seat()
    let typing = try seat.begin()
    let text = (1...10_000).map { "line \($0)" }.joined(separator: "\n")
    seat.type("\u{1B}[200~\(text)\u{1B}[201~\r")
    #expect(typing.result() == .text(text))
  }

  @Test func `without a terminal that moves a cursor there is no device`() throws {
    let seat = try Seat()
    #expect(TerminalDevice(input: seat.slave, output: seat.slave, type: "dumb") == nil)
    #expect(TerminalDevice(input: seat.slave, output: seat.slave, type: nil) == nil)
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    #expect(TerminalDevice(input: ends[0], output: seat.slave, type: "xterm") == nil)
    for end in ends { close(end) }
  }

  @Test func `the prompt begins a line of its own`() throws {
    let seat = try Seat()
    WholeText.write("no end", to: seat.slave)
    let typing = try seat.begin()
    #expect(seat.state.screen.lines == ["no end", ">"])
    seat.type("\u{04}")
    #expect(typing.result() == .ended)
    WholeText.write("an end\r\n", to: seat.slave)
    let again = seat.start()
    try seat.wait { $0.screen.lines == ["no end", ">", "an end", ">"] }
    seat.type("\u{04}")
    #expect(again.result() == .ended)
  }

  @Test func `Ctrl-L clears the screen and keeps the text`() throws {
    let seat = try Seat()
    WholeText.write("old\r\n", to: seat.slave)
    let typing = try seat.begin()
    seat.type("do\rx")
    try seat.wait { $0.screen.lines == ["old", "> do", "|   x"] }
    seat.type("\u{0C}")
    try seat.wait { $0.screen.lines == ["> do", "|   x"] }
    seat.type("\u{03}")
    #expect(typing.result() == .dropped)
  }

  @Test func `a text higher than the terminal is left whole when it is run`() throws {
    let seat = try Seat(columns: 20, rows: 4)
    let typing = try seat.begin()
    let text = (1...8).map { "line \($0)" }.joined(separator: "\n")
    seat.type("\u{1B}[200~\(text)\u{1B}[201~")
    try seat.wait { $0.screen.lines == ["| line 5", "| line 6", "| line 7", "| line 8"] }
    seat.type("\u{10}\u{10}\u{10}\u{10}\u{10}\r")
    #expect(typing.result() == .text(text))
    try seat.wait { !$0.screen.marksPastes }
    let screen = seat.state.screen
    #expect(
      (screen.above + screen.lines).suffix(8) == ["> line 1"] + (2...8).map { "| line \($0)" })
  }

  @Test func `choices below the text are gone when it is run`() throws {
    let seat = try Seat()
    let typing = try seat.begin()
    seat.type("pri\t")
    try seat.wait { $0.screen.lines.count == 4 }
    seat.type("\u{03}")
    try seat.wait { $0.screen.lines == ["> pri"] }
    seat.type("nt\r")
    #expect(typing.result() == .text("print"))
    #expect(seat.state.screen.strange == [])
  }
}
