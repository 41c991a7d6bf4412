@testable import Client
@testable import Batch
@testable import Emulator
@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Synchronization
import Testing

struct SystemClock: AuthClock {
  var now: Int64 { 1_900_000_000 }
}

/// An emulator that listens, and what a test asks of it.
struct EmulatedProject: Sendable {
  let emulator: Emulator
  let loop: EventLoop
  let url: WebURL

  static func run(
    _ rules: Rules = .production, _ body: (EmulatedProject) async throws -> Void
  ) async throws {
    let emulator = try Emulator(rules: rules)
    let port = try await emulator.start()
    let loop = try EventLoop(name: "batch")
    try loop.start()
    let project = EmulatedProject(
      emulator: emulator, loop: loop, url: try #require(WebURL("http://127.0.0.1:\(port)")))
    let result: Result<Void, any Error>
    do { result = .success(try await body(project)) } catch { result = .failure(error) }
    loop.stop()
    loop.join()
    await emulator.stop()
    try result.get()
  }

  func makeAdmin(_ loop: EventLoop) throws(BatchProblem) -> sending Admin {
    do throws(AdminError) {
      return try Admin(
        target: Target(projectID: "demo-luath", apiKey: Secret("x"), backend: .emulator(url)),
        serviceAccount: nil, transport: HTTPClient(loop: loop), clock: SystemClock())
    } catch {
      throw BatchProblem(.unavailable, error.message, hint: error.hint)
    }
  }

  func request(_ method: String, _ path: String, _ body: JSON? = nil) async throws -> JSON {
    let url = try #require(WebURL("\(url.origin)/\(path)"))
    let loop = loop
    return try await LoopActor(loop).run { _ in
      var request = HTTPRequest(
        method: method, url: url,
        headers: ["Authorization": "Bearer owner", "Content-Type": "application/json"])
      if let body { request.body = body.encodedBytes() }
      let response = try await HTTPClient(loop: loop).send(request)
      return try response.json()
    }
  }

  private static let accounts = "identitytoolkit.googleapis.com/v1/projects/demo-luath/accounts"

  func add(_ users: [JSON]) async throws {
    let answer = try await request(
      "POST", "\(Self.accounts):batchCreate", ["users": .array(users), "allowOverwrite": true])
    let errors = answer["error"]?.array ?? []
    try #require(errors.isEmpty, "\(answer.encoded())")
  }

  /// `a0`, `a1`, … with an address each, and an identity at a provider.
  func addPeople(_ count: Int, provider: String? = nil, prefix: String = "a") async throws {
    try await add(
      (0..<count).map { number in
        var user: JSONObject = [
          "localId": .string("\(prefix)\(number)"),
          "email": .string("\(prefix)\(number)@corp.example"), "emailVerified": true,
        ]
        if let provider {
          user["providerUserInfo"] = [
            [
              "providerId": .string(provider), "rawId": .string("\(prefix)-raw-\(number)"),
              "email": .string("\(prefix)\(number)@corp.example"), "displayName": "Somebody",
            ]
          ]
        }
        return .object(user)
      })
  }

  func account(_ uid: String) async throws -> JSON? {
    try await request("POST", "\(Self.accounts):lookup", ["localId": [.string(uid)]])["users"]?[0]
  }

  func setFaults(_ faults: JSON) async throws {
    _ = try await request("PUT", "emulator/v1/faults", ["seed": 7, "faults": faults])
  }

  func clearFaults() async throws { _ = try await request("DELETE", "emulator/v1/faults") }

  /// All accounts in the order of their ids.
  func export() async throws -> String {
    try await request("GET", "\(Self.accounts):batchGet?maxResults=1000").encoded()
  }

  /// The last 500 requests of an operation.
  func log(_ operation: String) async throws -> [JSON] {
    let events = try await request("GET", "emulator/v1/events?limit=500")["events"]?.array ?? []
    return events.filter { $0["operation"]?.string == operation }
  }

  /// Runs what is left in a journal.
  func execute(
    _ journal: ScratchJournal, _ settings: BatchSettings = BatchSettings(),
    hear: @escaping @Sendable (BatchEvent) -> Void = { _ in },
    during: @Sendable (Executor) async -> Void = { _ in }
  ) async throws -> BatchEnd {
    let executor = Executor(
      ScratchJournal.run, of: journal, settings: settings, on: loop, hear: hear
    ) { (loop) throws(BatchProblem) in try makeAdmin(loop) }
    async let end = executor.run()
    await during(executor)
    return try await end
  }
}

func link(_ uid: String, _ raw: String, _ provider: String = "microsoft.com") -> Operation {
  .link(uid: uid, identity: ["providerId": .string(provider), "rawId": .string(raw)])
}

extension JSON {
  /// The ids at providers of an account, as `provider/id`.
  var identities: [String] {
    (self["providerUserInfo"]?.array ?? []).compactMap { identity in
      guard let provider = identity["providerId"]?.string, provider != "password",
        provider != "phone"
      else { return nil }
      return "\(provider)/\(identity["rawId"]?.string ?? "")"
    }.sorted()
  }
}
