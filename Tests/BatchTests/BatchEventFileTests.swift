@testable import Batch
@testable import System
import Glibc
import Testing

@Suite struct BatchEventFileTests {
  @Test func `a file that others can read becomes its owner's alone`() throws {
    let scratch = try Scratch()
    let path = try scratch.write("events.ndjson", "{}\n")
    try #require(chmod(path, 0o644) == 0)
    let file = try BatchEventFile(path: path)
    #expect(file.warning == nil)
    #expect(file.finish())
    var status = stat()
    try #require(stat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o600)
  }

  @Test func `half a line that a killed run left behind spoils none of the next`() throws {
    let scratch = try Scratch()
    let path = try scratch.write("events.ndjson", #"{"event":"ro"#)
    for _ in 1...2 {
      let file = try BatchEventFile(path: path)
      file.write(.control(.pause))
      #expect(file.finish())
    }
    let lines = String(decoding: try scratch.read(path), as: UTF8.self).split(separator: "\n")
    #expect(lines.count == 3)
    for line in lines.dropFirst() {
      #expect(try JSON.parse(Array(line.utf8))["event"] == "control")
    }
  }
}
