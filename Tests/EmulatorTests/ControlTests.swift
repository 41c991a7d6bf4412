@testable import Emulator
@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Testing

@Suite(.timeLimit(.minutes(1)))
struct ControlTests {
  private let project = "emulator/v1/projects/demo-luath"

  @Test func `deleting all accounts frees their addresses and ends their tokens`() async throws {
    try await Fixture.run { emulator in
      let made = try await emulator.signUp("ada@b.example")
      #expect(try await emulator.request("DELETE", "\(project)/accounts").status == 200)
      #expect(try await emulator.lookup(made["idToken"]).error == "USER_NOT_FOUND")
      _ = try await emulator.signUp("ada@b.example")
    }
  }

  @Test func `settings can be changed one by one`() async throws {
    try await Fixture.run { emulator in
      let before = try await emulator.request("GET", "\(project)/config")
      #expect(before["signIn"]?["allowDuplicateEmails"] == false)
      #expect(before["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"] == true)
      let after = try await emulator.request(
        "PATCH", "\(project)/config",
        [
          "emailPrivacyConfig": ["enableImprovedEmailPrivacy": false],
          "providers": ["password": ["enabled": false]],
        ])
      #expect(after["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"] == false)
      #expect(after["signIn"]?["allowDuplicateEmails"] == false)
      let refused = try await emulator.call(
        .signInWithPassword, ["email": "a@b.example", "password": "123456"])
      #expect(refused.error == "PASSWORD_LOGIN_DISABLED")
    }
  }

  @Test(
    arguments: [
      ["providers": ["nothing.com": ["enabled": true]]], ["identityPlatform": "yes"],
      ["providers": ["password": true]], ["signIn": ["allowDuplicateEmails": 1]],
    ] as [JSON])
  func `a setting that cannot be is refused and nothing changes`(body: JSON) async throws {
    try await Fixture.run { emulator in
      let before = try await emulator.request("GET", "\(project)/config").json
      #expect(try await emulator.request("PATCH", "\(project)/config", body).status == 400)
      #expect(try await emulator.request("GET", "\(project)/config").json == before)
    }
  }

  @Test func `the clock only moves forward`() async throws {
    try await Fixture.run { emulator in
      let start = try await emulator.request("GET", "emulator/v1/clock")
      let moved = try await emulator.request(
        "PATCH", "emulator/v1/clock", ["advanceSeconds": 600])
      #expect(moved["advancedSeconds"] == 600)
      let from = try #require(start["seconds"]?.integer)
      #expect(try #require(moved["seconds"]?.integer) >= from + 600)
      for bad in [-1, .null, "soon", 1.5] as [JSON] {
        let reply = try await emulator.request(
          "PATCH", "emulator/v1/clock", ["advanceSeconds": bad])
        #expect(reply.status == 400)
      }
      let far = try await emulator.request(
        "PATCH", "emulator/v1/clock", ["advanceSeconds": .integer(.max)])
      #expect(far.status == 200)
    }
  }

  @Test func `people are listed without their passwords and can be added`() async throws {
    try await Fixture.run { emulator in
      let reply = try await emulator.request("GET", "emulator/v1/people")
      #expect(reply["people"]?.array?.contains { $0["email"] == "ada@contoso.example" } == true)
      #expect(!reply.json.encoded().contains("password"))
      let added = try await emulator.request(
        "POST", "emulator/v1/people", ["email": "new@corp.example", "name": "New"])
      #expect(added["people"]?.array?.map { $0["email"] } == ["new@corp.example"])
      let again = try await emulator.request(
        "POST", "emulator/v1/people", ["email": "NEW@corp.example"])
      #expect(again.status == 400)
      let bad = try await emulator.request("POST", "emulator/v1/people", ["emial": "x"])
      #expect(bad.message.contains("did you mean \"email\""))
      let all = try await emulator.request("GET", "emulator/v1/people")
      #expect(all["people"]?.array?.last?["email"] == "new@corp.example")
    }
  }

  @Test func `people can be taken out, and those after them are still found`() async throws {
    try await Fixture.run { emulator in
      let path = "emulator/v1/people"
      for name in ["one", "two", "three"] {
        _ = try await emulator.request("POST", path, ["email": .string("\(name)@left.example")])
      }
      for _ in 1...2 {
        let gone = try await emulator.request("DELETE", path + "?email=ONE%40left.example")
        #expect(gone.status == 200)
      }
      #expect(try await emulator.request("DELETE", path).status == 400)
      let three = try await emulator.request("DELETE", path + "?email=three@left.example")
      #expect(three.status == 200)
      let left = try await emulator.request("GET", path)
      let addresses = left["people"]?.array?.compactMap { $0["email"]?.string } ?? []
      #expect(addresses.filter { $0.hasSuffix("@left.example") } == ["two@left.example"])
      let anew = try await emulator.request("POST", path, ["email": "three@left.example"])
      #expect(anew.status == 200)
      let again = try await emulator.request("POST", path, ["email": "two@left.example"])
      #expect(again.status == 400)
    }
  }

  @Test func `a second emulator cannot have the port of the first`() async throws {
    try await Fixture.run { emulator in
      let port = try #require(emulator.origin.split(separator: ":").last.flatMap { UInt16($0) })
      let other = try Emulator()
      await #expect {
        _ = try await other.start(port: port)
      } throws: { error in
        (error as? HTTPError)?.code == .portInUse
      }
      await other.stop()
    }
  }

  @Test func `starting twice answers with the same port, and stopping twice does no harm`()
    async throws
  {
    let emulator = try Emulator()
    let first = try await emulator.start()
    #expect(try await emulator.start() == first)
    await emulator.stop()
    await emulator.stop()
  }
}
