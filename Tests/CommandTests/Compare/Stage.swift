@testable import Client
@testable import Host
@testable import luath
@testable import Emulator
@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Testing

/// Two servers on this machine, and what a comparison of them reports.
struct Stage: Sendable {
  /// The project of both; its API key makes that a wrong one can be told.
  static let project: ProjectConfiguration = {
    var project = ProjectConfiguration.demo
    project.apiKey = Secret("compare-key")
    return project
  }()

  var budget = 5000
  /// Whether the target is reached as a real project: by Google's hosts, as its service account.
  var isReal = false
  /// The time limit of a request to the target; nil for the usual one.
  var timeout: Duration?
  var isStopped: @Sendable () -> Bool = { false }
  /// Whether the comparison started the target, so that it may move its clock.
  var hasOwnClock = true
  /// Receives the target's pauses before requests, which take no time here.
  var paused: @Sendable (Duration) -> Void = { _ in }
  /// Whether the target's response to a request is lost.
  var loses: @Sendable (HTTPRequest) -> Bool = { _ in false }

  /// An emulator that serves on a free port.
  static func emulator(
    _ rules: Rules, _ faults: String = "", clock: EmulatorClock = EmulatorClock(),
    keepsQuotas: Bool = false
  ) async throws -> (Emulator, UInt16) {
    let plan = faults.isEmpty ? FaultPlan() : try FaultPlan(words: faults, seed: 7)
    let emulator = try Emulator(
      project: project, rules: rules, clock: clock, faults: plan, keepsQuotas: keepsQuotas)
    return (emulator, try await emulator.start())
  }

  /// Compares two emulators that are made for it.
  func compare(
    _ rules: Rules, with other: Rules, _ scenarios: [Scenario]
  ) async throws -> ComparisonReport {
    let (first, port) = try await Self.emulator(rules)
    let (second, otherPort) = try await Self.emulator(other)
    let report = try await compare(port, with: otherPort, scenarios)
    await first.stop()
    await second.stop()
    return report
  }

  /// Compares what listens on two ports.
  func compare(
    _ port: UInt16, with other: UInt16, _ scenarios: [Scenario]
  ) async throws -> ComparisonReport {
    let loop = try EventLoop(name: "compare")
    try loop.start()
    defer {
      loop.stop()
      loop.join()
    }
    let stage = self
    return try await LoopActor(loop).run { (actor: isolated LoopActor) async throws in
      let client = HTTPClient(loop: actor.loop)
      let run = RunName()
      let target =
        stage.isReal
        ? try await stage.realPeer(port, client, run) : try stage.peer("target", port, client, run)
      let reference = try Stage().peer("reference", other, client, run, isTemporary: true)
      let comparison = Comparison(
        of: target, with: reference, scenarios, budget: stage.budget, isStopped: stage.isStopped)
      _ = try await comparison.examine()
      return try await comparison.run()
    }
  }

  /// The accounts at an emulator by their uids, read past its faults.
  static func accounts(of emulator: Emulator, _ port: UInt16) async throws -> [String] {
    try await ask(port, "DELETE", "/emulator/v1/faults")
    let answer = try await ask(
      port, "GET",
      "/identitytoolkit.googleapis.com/v1/projects/demo-luath/accounts:batchGet?maxResults=1000")
    return answer["users"]?.array?.compactMap { $0["localId"]?.string } ?? []
  }

  /// Sends one request of an administrator to an emulator.
  @discardableResult static func ask(
    _ port: UInt16, _ method: String, _ path: String, _ body: JSON? = nil
  ) async throws -> JSON {
    let loop = try EventLoop(name: "ask")
    try loop.start()
    defer {
      loop.stop()
      loop.join()
    }
    let url = try #require(WebURL("http://127.0.0.1:\(port)\(path)"))
    return try await LoopActor(loop).run { (actor: isolated LoopActor) async throws in
      let response = try await HTTPClient(loop: actor.loop).send(
        HTTPRequest(
          method: method, url: url,
          headers: ["Authorization": "Bearer owner", "Content-Type": "application/json"],
          body: body?.encodedBytes() ?? []))
      return (try? response.json()) ?? .null
    }
  }

  private struct Clock: AuthClock {
    let now: Int64
  }

  private func peer(
    _ name: String, _ port: UInt16, _ client: HTTPClient, _ run: RunName, isTemporary: Bool = false
  ) throws -> Peer {
    let url = try #require(WebURL("http://127.0.0.1:\(port)"))
    let target = Target(
      projectID: "demo-luath", apiKey: Secret("compare-key"), backend: .emulator(url))
    let admin = try Admin(
      target: target, serviceAccount: nil, transport: client, clock: Clock(now: 0))
    return Peer(
      name, target: target, transport: Line(client: client, stage: self), admin: admin, run: run,
      isTemporary: isTemporary, hasOwnClock: hasOwnClock, timeout: timeout ?? .seconds(60))
  }

  /// Loses responses, and pauses without taking time.
  private struct Line: Transport {
    let client: HTTPClient
    let stage: Stage

    func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
      let response = try await client.send(request)
      if stage.loses(request) { throw HTTPError(.broken, "the response was lost", hint: "") }
      return response
    }

    func pause(for duration: Duration) async throws(HTTPError) { stage.paused(duration) }
  }

  /// Sends what is for Google's hosts to an emulator.
  private struct Rerouted: Transport {
    let line: Line
    let origin: String

    func pause(for duration: Duration) async throws(HTTPError) {
      try await line.pause(for: duration)
    }

    func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
      var inner = request
      #expect(request.url.scheme == "https")
      guard let url = WebURL("\(origin)/\(request.url.host)\(request.url.pathAndQuery)") else {
        throw HTTPError(.malformedURL, "no address", hint: "")
      }
      inner.url = url
      return try await line.send(inner)
    }
  }

  private func realPeer(
    _ port: UInt16, _ client: HTTPClient, _ run: RunName
  ) async throws -> Peer {
    let origin = "http://127.0.0.1:\(port)"
    let url = try #require(WebURL("\(origin)/emulator/v1/projects/demo-luath/serviceAccount"))
    var file = try #require(try await client.send(HTTPRequest(url: url)).json().object)
    file["token_uri"] = "https://oauth2.googleapis.com/token"
    let clock = try await client.send(
      HTTPRequest(url: try #require(WebURL("\(origin)/emulator/v1/clock")))
    ).json()
    let target = Target(
      projectID: "demo-luath", apiKey: Secret("compare-key"), backend: .production)
    let transport = Rerouted(line: Line(client: client, stage: self), origin: origin)
    let admin = try Admin(
      target: target, serviceAccount: ServiceAccount(json: .object(file)), transport: transport,
      clock: Clock(now: clock["seconds"]?.integer ?? 0))
    return Peer("staging", target: target, transport: transport, admin: admin, run: run)
  }
}
