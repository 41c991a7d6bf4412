@testable import Client
@testable import Emulator
@testable import System
@testable import HTTP
@testable import IdentityToolkit
@testable import OIDC
import Testing

/// An administrator of a real project's kind: Google's hosts are those of the emulator.
@Suite(.timeLimit(.minutes(1))) struct WholeWayTests {
  private struct Mapped: Transport {
    let client: HTTPClient
    let origin: String

    func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
      var inner = request
      inner.url = try mapped(request.url, to: origin)
      return try await client.send(inner)
    }
  }

  private final class MachineClock: AuthClock {
    let emulator: EmulatorClock
    var ahead: Int64 = 0
    var now: Int64 { emulator.seconds + ahead }
    init(_ emulator: EmulatorClock) { self.emulator = emulator }
  }

  private func withAdmin(
    _ changes: JSONObject = [:], ahead: Int64 = 0,
    _ body: @escaping @Sendable (isolated LoopActor, Admin) async throws -> Void
  ) async throws {
    let emulator = try Emulator()
    let port = try await emulator.start()
    let loop = try EventLoop(name: "admin")
    try loop.start()
    try await LoopActor(loop).run { (actor: isolated LoopActor) async throws in
      let client = HTTPClient(loop: loop)
      let origin = "http://127.0.0.1:\(port)"
      let url = try #require(
        WebURL("\(origin)/emulator/v1/projects/demo-luath/serviceAccount"))
      var file = try #require(try await client.send(HTTPRequest(url: url)).json().object)
      file["token_uri"] = "https://oauth2.googleapis.com/token"
      for (name, value) in changes.entries { file[name] = value }
      let clock = MachineClock(emulator.clock)
      clock.ahead = ahead
      let admin = try Admin(
        target: Target(projectID: "demo-luath", apiKey: Secret("x"), backend: .production),
        serviceAccount: ServiceAccount(json: .object(file)),
        transport: Mapped(client: client, origin: origin), clock: clock)
      try await body(actor, admin)
    }
    loop.stop()
    loop.join()
    await emulator.stop()
  }

  @Test func `the emulator exchanges its service account's signature, and lets the token in`()
    async throws
  {
    try await withAdmin { _, admin in
      let user = try await admin.createUser(
        NewUser(["email": "ada@example.com", "password": "correct horse"]))
      #expect(try await admin.getUser(email: "ada@example.com").uid == user.uid)
      let list = try admin.listUsers()
      #expect(try await list.next()?.uid == user.uid)
      #expect(try await list.next() == nil)
      #expect(try await admin.deleteUsers([user.uid]).successCount == 1)
    }
  }

  private static let strangers: [(JSONObject, Int64, String)] = [
    (["client_email": "robot@demo-luath.iam.gserviceaccount.com"], 0, "deleted"),
    ([:], 4000, "clock"), ([:], -4000, "clock"),
  ]

  @Test(arguments: strangers)
  func `and refuses what is not its own, or of another time`(
    _ changes: JSONObject, _ ahead: Int64, _ advice: String
  ) async throws {
    try await withAdmin(changes, ahead: ahead) { _, admin in
      do throws(AdminError) {
        _ = try await admin.getUser("ada")
        Issue.record("a token for \(advice)")
      } catch {
        #expect(error.code == .invalidServiceAccount)
        #expect(error.hint.contains(advice), "\(error)")
      }
    }
  }

  @Test func `and refuses another key's signature`() async throws {
    let other = try SigningKey.generate()
    try await withAdmin(["private_key": .string(other.privatePEM.reveal())]) { _, admin in
      do throws(AdminError) {
        _ = try await admin.getUser("ada")
        Issue.record("a token for a stranger's key")
      } catch {
        #expect(error.hint.contains("make a new key"), "\(error)")
      }
    }
  }
}
