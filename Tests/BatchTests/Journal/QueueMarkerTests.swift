import Glibc
import Host
import System
import Testing

@testable import Batch

/// The file beside a plan that names the queue of its run.
@Suite(.timeLimit(.minutes(1))) struct QueueMarkerTests {
  private let scratch: Scratch
  private let console: Console

  init() throws {
    scratch = try Scratch()
    var console = Console.live()
    console.folder = scratch.folder
    self.console = console
  }

  private func marker(_ url: String, _ digest: String = "d1") throws -> QueueMarker {
    try QueueMarker(Secret(url), digest: digest)
  }

  @Test func `a marker has the address without its password, for its owner only`() throws {
    #expect(try QueueMarker.read(ofPlan: "p.ndjson", console) == nil)
    let url = "postgresql://ada:s%40fe@db.internal:5433/luath?sslmode=require&password=other#moves"
    try marker(url).write(ofPlan: "p.ndjson", console)
    let path = scratch.path("p.ndjson.queue")
    #expect(
      try scratch.text(path)
        == #"{"luath":"queue","version":1,"queue":"postgres://ada@db.internal:5433/luath","journal":"moves","plan":"d1"}"#
        + "\n")
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    let found = try #require(try QueueMarker.read(ofPlan: "p.ndjson", console))
    #expect(found.url == "postgres://ada@db.internal:5433/luath#moves")
    #expect(found.digest == "d1")
  }

  @Test(arguments: [
    ("postgres://bo@db.internal:5433/luath#moves", true),
    ("postgres://db.internal:5433/luath#moves", true),
    ("postgres://ada@db.internal:5433/luath", false),
    ("postgres://ada@db.internal:5433/other#moves", false),
    ("postgres://ada@db.internal/luath#moves", false),
    ("postgres://ada@other.internal:5433/luath#moves", false),
  ])
  func `the server, database and name tell queues apart`(_ url: String, _ isSame: Bool) throws {
    let marked = try marker("postgres://ada:safe@db.internal:5433/luath#moves")
    #expect(marked.isSame(as: try marker(url)) == isSame)
  }

  @Test(arguments: [
    ("postgres://ada@/luath?host=/run/pg", "postgres://ada@%2Frun%2Fpg/luath#batch"),
    ("postgres://ada@[::1]:5/luath", "postgres://ada@%3A%3A1:5/luath#batch"),
    ("postgres://a%40b@one:1,two:2/luath#x", "postgres://a%40b@one:1,two:2/luath#x"),
  ])
  func `the address of a marker names the same server`(_ url: String, _ shown: String) throws {
    let marked = try marker(url)
    #expect(marked.url == shown)
    #expect(marked.isSame(as: try marker(marked.url)))
  }

  @Test func `a marker of the same run is left as it is, and another one replaces it`() throws {
    try marker("postgres://ada@h/d").write(ofPlan: "p", console)
    try marker("postgres://bo@h/d").write(ofPlan: "p", console)
    #expect(try QueueMarker.read(ofPlan: "p", console)?.url == "postgres://ada@h/d#batch")
    try marker("postgres://bo@h/d", "d2").write(ofPlan: "p", console)
    #expect(try QueueMarker.read(ofPlan: "p", console)?.url == "postgres://bo@h/d#batch")
    #expect(scratch.names == ["p.queue"])
  }
}
