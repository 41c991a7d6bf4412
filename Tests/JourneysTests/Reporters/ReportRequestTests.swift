@testable import System
import Foundation
import Testing

@testable import Journeys

@Suite struct ReportRequestTests {
  @Test func `kinds go to files, and one to the standard output`() throws {
    let requests = try ReportRequest.all(["junit:out/j.xml", "dot", "json:C:e.ndjson"])
    #expect(requests.map(\.kind) == [.junit, .dot, .json])
    #expect(requests.map(\.file) == ["out/j.xml", nil, "C:e.ndjson"])
    #expect(try ReportRequest("tap:-").file == nil)
  }

  @Test func `a value that ends in .lua is a reporter`() throws {
    let requests = try ReportRequest.all(["./a.lua:out/a.txt", "b.lua", "json:c.lua"])
    #expect(requests.map(\.script) == ["./a.lua", "b.lua", nil])
    #expect(requests.map(\.file) == ["out/a.txt", nil, "c.lua"])
  }

  @Test func `who reads along gets the pretty one unless another is shown`() throws {
    #expect(try ReportRequest.all([]).map(\.kind) == [.pretty])
    #expect(try ReportRequest.all(["junit:j.xml"]).map(\.kind) == [.pretty, .junit])
  }

  @Test(arguments: [
    (["junti:x"], "there is no report 'junti'; did you mean junit? there are pretty, dot, tap"),
    (["none"], "there is no report 'none'; "),
    ([""], "there is no report ''; "),
    (["junit:"], "the file is missing after 'junit:'; junit:FILE names one"),
    (["dot", "tap"], "dot and tap cannot both go to the standard output; KIND:FILE names"),
    (["har:x", "json:x"], "har and json cannot both go to the file 'x'; KIND:FILE names"),
    (["./a.lua", "b.lua"], "./a.lua and b.lua cannot both go to the standard output; KIND:FILE"),
    (["./a.lua:"], "the file is missing after './a.lua:'; ./a.lua:FILE names one"),
    (["./a.luau"], "there is no report './a.luau'; there are pretty, "),
  ])
  func `what cannot be is refused`(_ texts: [String], _ words: String) {
    let problem = #expect(throws: ReportProblem.self) { try ReportRequest.all(texts) }
    #expect(problem?.message.hasPrefix(words) == true, "\(problem?.message ?? "")")
  }

  private func surroundings(_ folder: URL) -> ReportSurroundings {
    ReportSurroundings(environment: [:], columns: 80, folder: folder.path) { _ in 0 }
  }

  @Test func `a file is made with its folders, in place of what it held`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "luath-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for _ in 0..<2 {
      let sink = try ReportRequest("pretty:a/b/c.txt").sink(in: surroundings(folder))
      for event in SampleRun.events { sink.take(event) }
      try sink.end()
    }
    let text = try String(contentsOf: folder.appending(path: "a/b/c.txt"), encoding: .utf8)
    #expect(text == (try SampleRun.report(.pretty)))
  }

  @Test(arguments: ReportKind.allCases.filter { $0 != .allure })
  func `a file keeps what it holds until the run begins`(_ kind: ReportKind) throws {
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: file) }
    func content() throws -> String { try String(contentsOf: file, encoding: .utf8) }
    try "kept".write(to: file, atomically: true, encoding: .utf8)
    let request = try ReportRequest("\(kind.rawValue):\(file.path)")
    try request.sink(in: surroundings(file)).end()
    #expect(try content() == "kept")
    let sink = try request.sink(in: surroundings(file))
    sink.take(SampleRun.events[0])
    #expect(try content() != "kept")
    try sink.end()
  }

  @Test(arguments: ["/proc/none/x.xml", "/dev/full", "/"])
  func `a file that cannot be written is told of at the end`(_ path: String) throws {
    let sink = try ReportRequest("json:\(path)").sink(in: surroundings(URL(fileURLWithPath: "/")))
    for event in SampleRun.events { sink.take(event) }
    let error = #expect(throws: SinkError.self) { try sink.end() }
    #expect(error?.message.hasPrefix("cannot write the report \(path): ") == true)
  }

  @Test(arguments: ReportKind.allCases.filter { $0 != .allure })
  func `a standard output that cannot be written is told of at the end`(_ kind: ReportKind) throws {
    var surroundings = surroundings(URL(fileURLWithPath: "/"))
    surroundings.write = { _ in ENOSPC }
    let sink = try ReportRequest(kind.rawValue).sink(in: surroundings)
    for event in SampleRun.events { sink.take(event) }
    let error = #expect(throws: SinkError.self) { try sink.end() }
    #expect(
      error?.message
        == "cannot write the report to the standard output: no space left on device")
  }

  @Test func `a reader who has seen enough is no error`() throws {
    var surroundings = surroundings(URL(fileURLWithPath: "/"))
    surroundings.write = { _ in EPIPE }
    let sink = try ReportRequest("tap").sink(in: surroundings)
    for event in SampleRun.events { sink.take(event) }
    try sink.end()
  }

  @Test func `what runs is in the file of events before it ends`() throws {
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: file) }
    let sink = try ReportRequest("json:\(file.path)").sink(
      in: surroundings(FileManager.default.temporaryDirectory))
    for event in SampleRun.events {
      sink.take(event)
      switch event.kind {
      case .journeyStart, .stepStart:
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text.hasSuffix(event.json.encoded() + "\n"))
      default: break
      }
    }
    try sink.end()
  }
}
