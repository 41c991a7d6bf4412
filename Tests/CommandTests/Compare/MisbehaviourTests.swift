@testable import Host
@testable import luath
@testable import Emulator
@testable import System
@testable import HTTP
import Synchronization
import Testing

/// Whatever a server does, a comparison ends with a report, and leaves nothing that it does not name.
@Suite(.timeLimit(.minutes(2))) struct MisbehaviourTests {
  private static func scenarios(_ topics: String...) throws -> [Scenario] {
    try ScenarioCatalogue.scenarios().filter { scenario in
      topics.contains { scenario.name.hasPrefix("\($0)/") }
    }
  }

  /// Compares an emulator that has faults with one that has none.
  private func compare(
    _ faults: String, _ scenarios: [Scenario], _ stage: Stage = Stage()
  ) async throws -> (report: ComparisonReport, rest: [String]) {
    let (bad, port) = try await Stage.emulator(.production, faults)
    let (good, other) = try await Stage.emulator(.production)
    let report = try await stage.compare(port, with: other, scenarios)
    let rest = try await Stage.accounts(of: bad, port)
    await bad.stop()
    await good.stop()
    return (report, rest)
  }

  @Test(arguments: ["drop=15%", "cut=15%"])
  func `answers that are lost hide no account`(_ fault: String) async throws {
    let scenarios = try Self.scenarios("sign-up", "create", "codes")
    let (report, rest) = try await compare(fault, scenarios)
    #expect(report.count(.failed) > 0)
    #expect(!report.isWhole)
    let left = report.target.left.joined(separator: "\n")
    for uid in rest {
      #expect(
        left.contains(uid) || left.contains("anonymous accounts"), "\(uid) is not named:\n\(left)")
    }
  }

  @Test func `answers of 500 are differences`() async throws {
    let (report, rest) = try await compare(
      "signInWithPassword:500", try Self.scenarios("passwords"))
    #expect(report.ending == .whole)
    #expect(report.groups.contains { $0.example.target == 500 }, "\(report.text)")
    #expect(rest.isEmpty)
  }

  /// Compares what answers every request so, once it has been examined, with an emulator; gives the requests it got.
  private func compare(
    answering answer: @escaping @Sendable (HTTPRequest) -> Answer, _ scenarios: [Scenario],
    _ stage: Stage = Stage()
  ) async throws -> (report: ComparisonReport, got: [HTTPRequest]) {
    let loop = try EventLoop(name: "server")
    try loop.start()
    defer {
      loop.stop()
      loop.join()
    }
    let got = Mutex<[HTTPRequest]>([])
    let port = try await LoopActor(loop).run { actor throws in
      try HTTPServer(loop: actor.loop) { request in
        got.withLock { $0.append(request) }
        return request.method == "GET" ? .now(Self.pleasant) : answer(request)
      }.port
    }
    let (good, other) = try await Stage.emulator(.production)
    let report = try await stage.compare(port, with: other, scenarios)
    await good.stop()
    return (report, got.withLock { $0 })
  }

  /// What a server answers that is being examined.
  private static let pleasant = ServerResponse(json: [
    "projectId": "demo-luath", "users": [["localId": "resident", "createdAt": "1500000000000"]],
  ])

  @Test func `a quota that is used up ends it early, with what to do`() async throws {
    let (report, _) = try await compare(
      answering: { _ in
        var answer = ServerResponse(
          status: 429, json: ["error": ["code": 429, "message": "QUOTA"]])
        answer.headers.set("Retry-After", "3600")
        return .now(answer)
      }, try Self.scenarios("create"))
    #expect(report.ending == .gaveUp)
    #expect(report.count(.failed) == 3)
    #expect(report.text.contains("a quota is used up"))
    #expect(report.target.left.contains { $0.contains("luath-compare-") }, "\(report.target.left)")
  }

  @Test func `a server that names accounts of others has none of them deleted`() async throws {
    let lie: JSON = [
      "kind": "identitytoolkit#SignupNewUserResponse", "localId": "resident", "idToken": "words",
      "users": [
        ["localId": "resident", "email": "resident@example.com", "createdAt": "1500000000000"],
        ["localId": "other", "createdAt": "1500000000000"],
      ],
    ]
    let (report, got) = try await compare(
      answering: { _ in .now(ServerResponse(json: lie)) }, try Self.scenarios("sign-up", "create"))
    #expect(report.ending == .whole)
    #expect(report.count(.different) > 0)
    let deletions = got.filter { $0.url.path.hasSuffix(":batchDelete") }
    #expect(deletions.isEmpty, "\(deletions.map { String(decoding: $0.body, as: UTF8.self) })")
  }

  @Test func `pages and broken JSON are differences, not the end`() async throws {
    let (report, _) = try await compare(
      answering: { _ in
        .now(
          ServerResponse(
            headers: ["Content-Type": "text/html"], body: Array("<p>{\u{1B}[31m".utf8)))
      }, try Self.scenarios("create"))
    #expect(report.ending == .whole)
    #expect(report.count(.equal) == 0)
    #expect(report.target.left.count > 0, "nobody confirmed that the accounts are gone")
  }

  @Test func `a server that never answers is asked three times, and once to delete`()
    async throws
  {
    let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])
    defer { for each in waiting.withLock({ $0 }) { each.resume() } }
    let (report, got) = try await compare(
      answering: { _ in
        .later {
          await withCheckedContinuation { each in waiting.withLock { $0.append(each) } }
          return ServerResponse(status: 200)
        }
      }, try Self.scenarios("create", "tenants"), Stage(timeout: .seconds(1)))
    #expect(report.ending == .gaveUp)
    #expect(report.problem.contains("target did not respond 3 times in a row"))
    #expect(got.count { $0.method != "GET" } == 4)
    #expect(report.target.left.contains { $0.contains("luath-compare-") })
  }

  @Test func `a server that answers only 500 is given up, and has no accounts`() async throws {
    let scenarios = try Self.scenarios("create", "delete", "sign-up")
    let (report, _) = try await compare(
      answering: { _ in
        .now(ServerResponse(status: 500, json: ["error": ["code": 500, "message": "INTERNAL"]]))
      }, scenarios)
    #expect(report.ending == .gaveUp)
    #expect(report.problem.contains("every request of 10 scenarios in a row"), "\(report.problem)")
    #expect(report.count(.different) == 10)
    #expect(report.count(.notPlayed) == scenarios.count - report.count(.different))
    #expect(report.target.left.isEmpty, "\(report.target.left)")
  }

  @Test func `accounts count as deleted also when the answer to that was lost`() async throws {
    let scenarios = try Self.scenarios("create")
    let (usual, _) = try await compare("", scenarios)
    let (report, rest) = try await compare("batchDelete:cut=100%", scenarios)
    #expect(rest.isEmpty)
    #expect(report.target.deleted == usual.target.deleted)
    #expect(report.isWhole)
  }

  @Test(arguments: ["lookup", "import", "second factors"])
  func `the requests of a dry run suffice as the budget`(_ topic: String) async throws {
    let scenarios = try Self.scenarios(topic)
    let planned = Comparison.requests(scenarios, isEmulated: true)
    let (report, _) = try await compare("", scenarios, Stage(budget: planned))
    #expect(report.ending == .whole)
    #expect(report.target.requests <= planned)
  }

  @Test func `the budget is kept, with what deleting needs`() async throws {
    let (report, rest) = try await compare("", try Self.scenarios("lookup"), Stage(budget: 60))
    #expect(report.ending == .budget)
    #expect(report.count(.notPlayed) > 0)
    #expect(report.target.requests <= 60)
    #expect(rest.isEmpty && report.target.left.isEmpty)
    #expect(report.text.contains("the budget of 60 requests is used up"))
  }

  @Test func `an interruption deletes what was made`() async throws {
    let asked = Counter()
    let stage = Stage(isStopped: { asked.next() > 40 })
    let (report, rest) = try await compare("", try Self.scenarios("lookup"), stage)
    #expect(report.ending == .interrupted)
    #expect(report.target.deleted > 0)
    #expect(rest.isEmpty)
  }

  @Test func `accounts that were there stay`() async throws {
    let (emulator, port) = try await Stage.emulator(.production)
    let (other, otherPort) = try await Stage.emulator(.production)
    try await Stage.ask(
      port, "POST", "/identitytoolkit.googleapis.com/v1/projects/demo-luath/accounts",
      ["localId": "resident", "email": "resident@example.com"])
    let report = try await Stage().compare(
      port, with: otherPort, try Self.scenarios("create", "delete"))
    #expect(report.isWhole)
    #expect(try await Stage.accounts(of: emulator, port) == ["resident"])
    await emulator.stop()
    await other.stop()
  }
}

/// Counts from any thread.
private final class Counter: Sendable {
  private let count = Mutex(0)

  func next() -> Int {
    count.withLock {
      $0 += 1
      return $0
    }
  }
}
