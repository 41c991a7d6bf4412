import Glibc
import Testing

@testable import Batch

@Suite(.timeLimit(.minutes(1))) struct OutputFileTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test func `a file appears when it is complete, for its owner only`() throws {
    let path = scratch.path("a.csv")
    let file = try OutputFile(path: path, allowsStream: true)
    try file.write(Array("a\r\n1\r\n".utf8))
    #expect(!scratch.names.contains("a.csv"))
    try file.finish()
    #expect(try scratch.text(path) == "a\r\n1\r\n")
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(scratch.names == ["a.csv"])
  }

  @Test func `a stream is written at once, and a full one is an error`() throws {
    let full = try OutputFile(path: "/dev/full", allowsStream: true)
    try full.write([0x31])
    let problem = try #require(throws: BatchProblem.self) { try full.finish() }
    #expect(problem.message == "/dev/full cannot be written: No space left on device")

    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    let file = OutputFile(descriptor: ends[1], name: "the standard output")
    try file.write(Array("a\r\n1\r\n".utf8))
    try file.finish()
    #expect(fcntl(ends[1], F_GETFD) >= 0, "it is left open")
    close(ends[1])
    var bytes = [UInt8](repeating: 0, count: 100)
    let count = Glibc.read(ends[0], &bytes, bytes.count)
    #expect(bytes[..<max(count, 0)].elementsEqual("a\r\n1\r\n".utf8))
    close(ends[0])
  }
}
