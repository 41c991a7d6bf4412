import Batch
import Encoding
import Testing

@Suite struct BatchEventFileTests {
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
