@testable import System
import Glibc
import Testing

@testable import Batch

@Suite(.timeLimit(.minutes(1))) struct RowInputTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func problem(_ input: RowInput) throws -> BatchProblem {
    try #require(throws: BatchProblem.self) { try read(input) }
  }

  static let named: [(String, String, [String])] = [
    ("a.csv", "[x\n1\n", [#"2: {"[x":"1"}"#]),
    ("a.TSV", "a\tb\n1\t2\n", [#"2: {"a":"1","b":"2"}"#]),
    ("a.jsonl", "\n{}\n", ["2: {}"]), ("a.ndjson", "{}", ["1: {}"]),
    // Lines of JSON are often called so.
    ("a.json", "{}\n{}\n", ["1: {}", "2: {}"]), ("a.json", " [{}]", ["1: {}"]),
    ("a", "\n[{}]", ["2: {}"]), ("a.txt", "{}", ["1: {}"]), ("a.txt", "a\n1\n", [#"2: {"a":"1"}"#]),
    ("a.txt", "\u{FEFF}[{}]", ["1: {}"]),
  ]

  @Test(arguments: named) func `the format is seen from the name, or else from the first byte`(
    name: String, text: String, expected: [String]
  ) throws {
    #expect(try read(RowInput(path: try scratch.write(name, text))) == expected)
  }

  @Test func `a format that is given counts, whatever the name says`() throws {
    let path = try scratch.write("a.csv", "{}\n")
    #expect(try read(RowInput(path: path, format: .ndjson)) == ["1: {}"])
  }

  static let foreign: [([UInt8], String)] = [
    ([0xFF, 0xFE, 0x61, 0], "UTF-16"), ([0xFE, 0xFF, 0, 0x61], "UTF-16"),
    ([0x61, 0, 0x62, 0], "UTF-16"), ([0, 0x61, 0, 0x62], "UTF-16"),
    ([0xFF, 0xFE, 0, 0], "UTF-32"), ([0, 0, 0xFE, 0xFF], "UTF-32"),
  ]

  @Test(arguments: foreign) func `another encoding is refused by name`(
    bytes: [UInt8], name: String
  ) throws {
    let path = try scratch.write("a.csv", bytes)
    let problem = try problem(RowInput(path: path))
    #expect(problem.message == "\(path) is in \(name)")
    #expect(problem.hint == "convert it first: iconv -f \(name) -t UTF-8 IN > OUT")
  }

  @Test(arguments: ["", "\u{FEFF}", " \n"]) func `an empty input is refused`(text: String) throws {
    let path = try scratch.write("a", text)
    let problem = try problem(RowInput(path: path))
    #expect(problem.message == "\(path) is empty")
    #expect(problem.code == .usage)
  }

  @Test func `an input that is not there, or a folder, is refused`() throws {
    let missing = try problem(RowInput(path: scratch.path("no.csv")))
    #expect(missing.message.hasSuffix("no.csv cannot be opened: No such file or directory"))
    #expect(missing.code == .usage)
    let folder = try problem(RowInput(path: scratch.folder))
    #expect(folder.message == "\(scratch.folder) cannot be read: Is a directory")
    #expect(folder.hint == "name a file")
  }

  /// Runs a shell command in the folder.
  private func shell(_ command: String) -> Bool {
    system("cd '\(scratch.folder)' && \(command)") == 0
  }

  @Test func `what gzip made is read through it, in several members and any format`() throws {
    let table = "a,b\n" + (1...20_000).map { "\($0),\(String($0, radix: 36))\n" }.joined()
    let path = try scratch.write("a.csv", table)
    let plain = try read(RowInput(path: path))
    #expect(plain.count == 20_000)
    #expect(shell("gzip -k a.csv"))
    #expect(try read(RowInput(path: scratch.path("a.csv.gz"))) == plain)
    // The name does not have to say so.
    #expect(shell("mv a.csv.gz b"))
    #expect(try read(RowInput(path: scratch.path("b"))) == plain)
    #expect(shell("(head -c 70001 a.csv | gzip -1; tail -c +70002 a.csv | gzip -9) > c.csv.gz"))
    #expect(try read(RowInput(path: scratch.path("c.csv.gz"))) == plain)
    #expect(shell("echo '{}' | gzip > d.jsonl.gz"))
    #expect(try read(RowInput(path: scratch.path("d.jsonl.gz"))) == ["1: {}"])
  }

  @Test func `much behind little is read in little memory`() throws {
    // A hundred million bytes in a hundred thousand.
    #expect(
      shell(
        "(echo '{}'; head -c 100000000 /dev/zero | tr '\\0' '\\n'; echo '{}') | gzip > a.jsonl.gz"))
    let source = try InputSource(path: scratch.path("a.jsonl.gz"))
    let window = try ByteWindow(source, inflating: true)
    var most = 0
    var count = 0
    repeat {
      most = max(most, window.count)
      count += window.count
      window.drop(window.count)
    } while try window.fill()
    #expect(count == 100_000_006)
    #expect(most < 32 << 20)
  }

  @Test func `gzip that was cut off or damaged is an error, however much could be read`() throws {
    let rows = (1...3000).map { "{\"n\":\($0 * 7919 % 10007)}\n" }.joined()
    try scratch.write("a.jsonl", rows)
    #expect(shell("gzip -n a.jsonl"))
    let path = scratch.path("a.jsonl.gz")
    let whole = try scratch.read(path)
    for length in stride(from: 2, to: whole.count, by: whole.count / 40) {
      try scratch.write("a.jsonl.gz", whole[..<length])
      let problem = try problem(RowInput(path: path))
      #expect(problem.message == "\(path) ends in the middle of its compressed data")
    }
    for position in stride(from: 12, to: whole.count, by: whole.count / 20) {
      var damaged = whole
      damaged[position] ^= 0x55
      try scratch.write("a.jsonl.gz", damaged)
      #expect(try problem(RowInput(path: path)).hint.contains("gzip -t"))
    }
    try scratch.write("a.jsonl.gz", whole + Array("more".utf8))
    #expect(
      try problem(RowInput(path: path)).message == "\(path) begins as gzip does, and is damaged")
  }

  @Test func `the standard input is read, byte by byte if it comes so, and left open`() throws {
    var ends: [Int32] = [0, 0]
    #expect(pipe(&ends) == 0)
    // Somebody else may have made it so that reading does not wait.
    #expect(fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0)
    let text = Array("\u{FEFF}a,b\r\n\"1\",\"2\"\"\"\r\n3,4".utf8)
    let (reading, writing) = (ends[0], ends[1])
    let writer = pthread(bytes: text, to: writing)
    var input = RowInput(path: "-")
    input.standardInput = reading
    #expect(try read(input) == [#"2: {"a":"1","b":"2\""}"#, #"3: {"a":"3","b":"4"}"#])
    pthread_join(writer, nil)
    #expect(fcntl(reading, F_GETFD) >= 0)
    close(reading)
  }

  /// Writes bytes one by one from a thread of its own, and closes the descriptor.
  private func pthread(bytes: [UInt8], to descriptor: Int32) -> pthread_t {
    final class Work {
      let bytes: [UInt8]
      let descriptor: Int32
      init(_ bytes: [UInt8], _ descriptor: Int32) {
        self.bytes = bytes
        self.descriptor = descriptor
      }
    }
    var thread = pthread_t()
    let work = Unmanaged.passRetained(Work(bytes, descriptor))
    pthread_create(
      &thread, nil,
      { pointer in
        guard let pointer else { return nil }
        let work = Unmanaged<Work>.fromOpaque(pointer).takeRetainedValue()
        for byte in work.bytes {
          var byte = byte
          _ = Glibc.write(work.descriptor, &byte, 1)
          sched_yield()
        }
        close(work.descriptor)
        return nil
      }, work.toOpaque())
    return thread
  }
}
