@testable import Emulator
@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Testing

/// Where the emulator sends requests to: an administrator's call must not make it a way to other servers.
@Suite(.timeLimit(.minutes(1))) struct OutgoingRequestTests {
  private static let issuers = "v2/projects/demo-luath/oauthIdpConfigs"

  private func setFunction(_ emulator: Fixture, _ address: String) async throws -> Fixture.Reply {
    try await emulator.asAdmin(
      "PATCH", "v2/projects/demo-luath/config?updateMask=blockingFunctions",
      ["blockingFunctions": ["triggers": ["beforeCreate": ["functionUri": .string(address)]]]])
  }

  private func register(
    _ emulator: Fixture, _ id: String, issuer: String
  ) async throws -> Fixture.Reply {
    try await emulator.asAdmin(
      "POST", "\(Self.issuers)?oauthIdpConfigId=\(id)",
      ["clientId": "app", "issuer": .string(issuer), "enabled": true])
  }

  @Test(arguments: [Rules.compatible, .production])
  func `a blocking function is on this machine or a server that the user lists`(
    rules: Rules
  ) async throws {
    try await Fixture.run(rules: rules, { try! $0.allowedServers.add("https://f.example") }) {
      emulator async throws in
      for address in [
        "http://169.254.169.254/latest", "https://f.example:444/f", "http://f.example/f",
      ] {
        let refused = try await setFunction(emulator, address)
        #expect(refused.message.hasPrefix("INVALID_BLOCKING_FUNCTION : "), "\(refused.json)")
        #expect(refused.message.contains("--allow-server"))
      }
      for address in ["https://f.example/f", "http://localhost:1/f", "http://[::1]:1/f"] {
        #expect(try await setFunction(emulator, address).status == 200)
      }
    }
  }

  @Test func `an issuer is on this machine or a server that the user lists`() async throws {
    try await Fixture.run { emulator async throws in
      let refused = try await register(emulator, "oidc.far", issuer: "http://169.254.169.254")
      #expect(refused.error == "INVALID_ISSUER")
      #expect(refused.message.contains("--allow-server"))
      #expect(try await register(emulator, "oidc.near", issuer: "http://127.0.0.1:1").status == 200)
      let moved = try await emulator.asAdmin(
        "PATCH", "\(Self.issuers)/oidc.near?updateMask=issuer", ["issuer": "http://169.254.169.254"]
      )
      #expect(moved.error == "INVALID_ISSUER")
    }
    // An issuer of the project file is listed there.
    try await Fixture.run({ $0.providers["oidc.corp"]?.issuer = "https://id.example/a" }) {
      emulator async throws in
      #expect(try await register(emulator, "oidc.b", issuer: "https://id.example/b").status == 200)
    }
  }

  @Test func `what a state file holds is not called either`() async throws {
    let scratch = try StateScratch()
    let before = try await scratch.open {
      for server in ["http://f.example", "http://id.example"] { try! $0.allowedServers.add(server) }
    }
    #expect(try await setFunction(before, "http://f.example/f").status == 200)
    #expect(try await register(before, "oidc.b", issuer: "http://id.example").status == 200)
    await before.emulator.stop()
    let after = try await scratch.open()
    let called = try await after.call(
      .signUp, ["email": "a@example.com", "password": "correct horse"])
    #expect(called.message.contains("--allow-server"), "\(called.message)")
    let asked = try await after.call(
      .createAuthUri, ["providerId": "oidc.b", "continueUri": "http://localhost/cb"])
    #expect(asked.message.contains("--allow-server"), "\(asked.message)")
    await after.emulator.stop()
  }

  @Test func `a function's redirect is not followed`() async throws {
    try await FunctionServer.run { functions, origin in
      try await Fixture.run { emulator async throws in
        await functions.set("/from", status: 307, [:], location: "\(origin)/to")
        try await emulator.setFunctions(["beforeCreate": "\(origin)/from"])
        let reply = try await emulator.call(
          .signUp, ["email": "a@example.com", "password": "correct horse"])
        #expect(reply.error == "BLOCKING_FUNCTION_ERROR_RESPONSE")
        #expect(await functions.received.map(\.path) == ["/from"])
      }
    }
  }
}
