import Foundation
import Synchronization
import Testing

@testable import Prompt

@Suite(.timeLimit(.minutes(1))) struct PlainReaderTests {
  /// Two pipes, and a reader between them.
  private final class Bench {
    let reader: PlainReader
    let keyboard: Int32
    let input: Int32
    let screen: Int32
    private let output: Int32

    init() throws {
      var (typed, shown): ([Int32], [Int32]) = ([0, 0], [0, 0])
      try #require(pipe(&typed) == 0 && pipe(&shown) == 0)
      (input, keyboard, screen, output) = (typed[0], typed[1], shown[0], shown[1])
      reader = PlainReader(input: input, output: output, language: Words())
    }

    func type(_ text: String, isLast: Bool = false) {
      WholeText.write(text, to: keyboard)
      if isLast { close(keyboard) }
    }

    func ask() -> TypedText { reader.readText(prompt: "> ", continuation: "| ") }

    /// What was shown, when no more comes.
    var shown: String {
      close(output)
      var bytes = [UInt8](repeating: 0, count: 65_536)
      let count = read(screen, &bytes, bytes.count)
      return String(decoding: bytes[..<max(0, count)], as: UTF8.self)
    }
  }

  @Test func `lines are read until the text is complete`() throws {
    let bench = try Bench()
    bench.type("one\ndo\r\n x\nend\n\nhalf", isLast: true)
    #expect(bench.ask() == .text("one"))
    #expect(bench.ask() == .text("do\n x\nend"))
    #expect(bench.ask() == .text(""))
    #expect(bench.ask() == .text("half"))
    #expect(bench.ask() == .ended)
    #expect(bench.shown == "> > | | > > ")
  }

  @Test func `a block that the input ends in is given as it is`() throws {
    let bench = try Bench()
    bench.type("do x\n", isLast: true)
    #expect(bench.ask() == .text("do x"))
    #expect(bench.ask() == .ended)
  }

  @Test func `what follows the lines is left to others`() throws {
    let bench = try Bench()
    bench.type("one\nrest\n", isLast: true)
    #expect(bench.ask() == .text("one"))
    var bytes = [UInt8](repeating: 0, count: 100)
    let count = read(bench.input, &bytes, 100)
    #expect(String(decoding: bytes[..<max(0, count)], as: UTF8.self) == "rest\n")
  }

  @Test func `a file is read as a pipe is`() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "luath-\(UUID()).txt")
    try Data("one\ndo\nend\n".utf8).write(to: path)
    defer { try? FileManager.default.removeItem(at: path) }
    let file = open(path.path, O_RDONLY)
    defer { close(file) }
    let reader = PlainReader(input: file, output: nil, language: Words())
    #expect(reader.readText(prompt: "", continuation: "") == .text("one"))
    #expect(lseek(file, 0, SEEK_CUR) == 4)
    #expect(reader.readText(prompt: "", continuation: "") == .text("do\nend"))
    #expect(reader.readText(prompt: "", continuation: "") == .ended)
  }

  @Test func `another thread interrupts, and what was begun is dropped`() throws {
    let bench = try Bench()
    bench.type("do\n")
    Thread.detachNewThread { [reader = bench.reader, screen = bench.screen] in
      // Until the line was read.
      var bytes = [UInt8](repeating: 0, count: 100)
      var shown = ""
      while !shown.contains("|") {
        let count = read(screen, &bytes, bytes.count)
        guard count > 0 else { break }
        shown += String(decoding: bytes[..<count], as: UTF8.self)
      }
      reader.interrupt()
    }
    #expect(bench.ask() == .interrupted)
    bench.type("one\n", isLast: true)
    #expect(bench.ask() == .text("one"))
  }

  @Test func `nobody who reads the prompts is no reason to end`() throws {
    var ends: [Int32] = [0, 0]
    try #require(pipe(&ends) == 0)
    signal(SIGPIPE, SIG_IGN)
    close(ends[0])
    let bench = try Bench()
    let reader = PlainReader(input: bench.input, output: ends[1], language: Words())
    bench.type("one\n", isLast: true)
    #expect(reader.readText(prompt: "> ", continuation: "| ") == .text("one"))
    #expect(reader.readText(prompt: "> ", continuation: "| ") == .ended)
    close(ends[1])
  }
}
