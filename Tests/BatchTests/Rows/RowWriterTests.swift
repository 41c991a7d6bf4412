import Encoding
import Glibc
import Testing

@testable import Batch

@Suite(.timeLimit(.minutes(1))) struct RowWriterTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  @Test func `CSV is quoted where it has to be, and columns come in their order`() throws {
    let path = scratch.path("a.csv")
    let writer = try CSVWriter(path: path, columns: ["uid", "b,c", "n"])
    try writer.add(["n": 1, "uid": "ada", "unknown": "x"])
    try writer.add(["uid": "say \"hi\"", "b,c": "a,b", "n": "x\ny"])
    try writer.add(["uid": "=1+1", "b,c": "+49", "n": .null])
    try writer.add(["uid": "z\u{0}", "b,c": true, "n": ["a": [1, 2.5]]])
    #expect(!scratch.names.contains("a.csv"))
    try writer.finish()
    #expect(
      try scratch.text(path) == """
        uid,"b,c",n\r
        ada,,1\r
        "say ""hi\""","a,b","x
        y"\r
        =1+1,+49,\r
        z\u{FFFD},true,"{""a"":[1,2.5]}"\r

        """)
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    #expect(scratch.names == ["a.csv"])
  }

  @Test func `an empty value that stands alone is quoted, so that it is a row`() throws {
    let path = scratch.path("a.csv")
    let writer = try CSVWriter(path: path, columns: ["a"])
    try writer.add([:])
    try writer.add(["a": "1;2"])
    try writer.finish()
    #expect(try scratch.text(path) == "a\r\n\"\"\r\n1;2\r\n")
    #expect(try read(RowInput(path: path)) == [#"2: {"a":""}"#, #"3: {"a":"1;2"}"#])
  }

  @Test func `lines of JSON are rows again`() throws {
    let path = scratch.path("a.ndjson")
    let writer = try NDJSONWriter(path: path)
    try writer.add(["a": "x\n\"", "b": [1, nil]])
    try writer.add([:])
    try writer.finish()
    #expect(try read(RowInput(path: path)) == [#"1: {"a":"x\n\"","b":[1,null]}"#, "2: {}"])
  }

  @Test func `a stream is written at once, and a full one told`() throws {
    let full = try NDJSONWriter(path: "/dev/full")
    try full.add(["a": 1])
    let problem = try #require(throws: BatchProblem.self) { try full.finish() }
    #expect(problem.message == "/dev/full cannot be written: No space left on device")

    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    let writer = try CSVWriter(descriptor: ends[1], name: "the standard output", columns: ["a"])
    try writer.add(["a": "1"])
    try writer.finish()
    #expect(fcntl(ends[1], F_GETFD) >= 0, "it is left open")
    close(ends[1])
    var bytes = [UInt8](repeating: 0, count: 100)
    let count = Glibc.read(ends[0], &bytes, bytes.count)
    #expect(bytes[..<max(count, 0)].elementsEqual("a\r\n1\r\n".utf8))
    close(ends[0])
  }
}
