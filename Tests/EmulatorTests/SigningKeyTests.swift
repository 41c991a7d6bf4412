@testable import System
@testable import HTTP
@testable import IdentityToolkit
@testable import OIDC
import Testing

@testable import Emulator

/// When the keys of an emulator are generated, and how they differ.
@Suite(.timeLimit(.minutes(2))) struct SigningKeyTests {
  private static let issuerKeys = [
    "login.microsoftonline.com/common/discovery/v2.0/keys", "www.googleapis.com/oauth2/v3/certs",
  ]
  private static let tokenKeys =
    "www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com"

  @Test(arguments: [Rules.production, .compatible])
  func `no key is generated on the loop, whatever is requested first`(_ rules: Rules) async throws {
    let keys = SigningKeys()
    try await Fixture.run(rules: rules, keys: keys) { emulator in
      let signed = [Self.tokenKeys, "identitytoolkit.googleapis.com/v1/sessionCookiePublicKeys"]
      let paths =
        Self.issuerKeys + ["emulator/v1/projects/demo-luath/serviceAccount"]
        + (rules[.signedTokens] ? signed : [])
      // All at once, before there is any key.
      let caller = Caller(emulator)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for path in paths {
          group.addTask {
            let reply = try await caller.request("GET", path)
            #expect(reply.status == 200, "\(path)")
          }
        }
        for number in 1...3 {
          group.addTask {
            let reply = try await caller.call(
              .signUp,
              ["email": .string("ada\(number)@luath.example"), "password": "correct horse"])
            #expect(reply.status == 200)
          }
        }
        try await group.waitForAll()
      }
    }
    #expect(keys.delayCount == 0)
    #expect(keys.count == 2)
  }

  @Test func `a run can wait for the keys before its first request`() async throws {
    let keys = SigningKeys()
    let emulator = try Emulator(keys: keys)
    _ = try await emulator.start()
    await emulator.waitForKeys()
    #expect(keys.isMade(.tokens) && !keys.isMade(.serviceAccount))
    await emulator.stop()
    #expect(keys.delayCount == 0)
  }

  @Test func `each issuer has a key id of its own, which a later process has too`() async throws {
    let keys = SigningKeys()
    try await Fixture.run(keys: keys) { emulator in
      var ids: Set<String> = []
      for path in Self.issuerKeys + [Self.tokenKeys] {
        let reply = try await emulator.request("GET", path)
        ids.insert(try #require(reply["keys"]?[0]?["kid"]?.string))
      }
      #expect(ids.count == 3)
      let account = try await emulator.request(
        "GET", "emulator/v1/projects/demo-luath/serviceAccount")
      // Its private half leaves the emulator, so it must not sign tokens of others.
      let pem = try #require(account["private_key"]?.string)
      let tokens = try keys.key(for: .idTokens)
      #expect(try SigningKey(pem: Secret(pem)).publicJWK["n"] != tokens.publicJWK["n"])
    }
    let later = SigningKeys()
    later.adopt(try keys.key(for: .idTokens), for: .idTokens)
    for purpose in [SigningKeys.Purpose.sessionCookies, .identityProvider("google.com")] {
      #expect(try later.key(for: purpose).keyID == keys.key(for: purpose).keyID)
    }
  }

  @Test func `emulators that share keys do not cancel each other's`() async throws {
    let keys = SigningKeys()
    let first = try Emulator(keys: keys)
    let second = try Emulator(keys: keys)
    _ = try await first.start()
    let port = try await second.start()
    await first.stop()
    let fixture = Fixture(second, port: port)
    _ = try await fixture.signUp("ada@luath.example")
    await second.stop()
    #expect(keys.delayCount == 0)
  }

  @Test func `a custom token is refused without generating a key`() async throws {
    let keys = SigningKeys()
    try await Fixture.run(keys: keys) { emulator in
      let token = try SigningKey.generate().sign([
        "iss": "luath@demo-luath.iam.gserviceaccount.com",
        "sub": "luath@demo-luath.iam.gserviceaccount.com",
        "aud": .string(Backend.customTokenAudience), "uid": "ada",
        "iat": .integer(emulator.clock.seconds), "exp": .integer(emulator.clock.seconds + 60),
      ])
      let reply = try await emulator.call(.signInWithCustomToken, ["token": .string(token)])
      #expect(reply.error == "INVALID_CUSTOM_TOKEN")
    }
    #expect(!keys.isMade(.serviceAccount) && keys.delayCount == 0)
  }
}
