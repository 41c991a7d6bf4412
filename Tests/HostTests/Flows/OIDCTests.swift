@testable import Emulator
@testable import System
@testable import OIDC
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct OIDCTests {
  // S19
  @Test func `discovery names the issuer exactly`() async throws {
    let issuer = try await TokenIssuer()
    defer { issuer.stop() }
    // The document at ISSUER/other says that it is another issuer's.
    for path in ["/other", "/", "/nowhere"] {
      var project = ProjectConfiguration.demo
      var corp = ProviderConfiguration(id: "oidc.corp")
      corp.issuer = issuer.origin + path
      project.providers["oidc.corp"] = corp
      try await Flow(runner: ScriptRunner(project: project)).run(
        """
        local err = refused("invalidCredential", auth.signIn, auth, Auth.OAuthProvider "oidc.corp")
        assert(err.message:find("discovery", 1, true), tostring(err))
        """)
    }
  }

  /// A flow with the foreign issuer as `oidc.own`, and tokens of it in the environment.
  private func flow(_ issuer: TokenIssuer, _ tokens: [String: String]) -> Flow {
    var project = ProjectConfiguration.demo
    var own = ProviderConfiguration(id: "oidc.own")
    own.issuer = issuer.origin
    own.clientID = issuer.clientID
    project.providers["oidc.own"] = own
    return Flow(runner: ScriptRunner(project: project, environment: tokens))
  }

  private static let person: JSONObject = [
    "sub": "s-1", "email": "olga@own.example", "email_verified": true, "name": "Olga",
  ]

  // S22
  @Test func `a token the script got itself signs in, with and without a nonce`() async throws {
    let issuer = try await TokenIssuer()
    defer { issuer.stop() }
    // Signs that a form must escape: the raw nonce goes over the wire in one.
    let rawNonce = "a+b/c=d&e%20f ü=" + SecureRandom.token()
    var claims = Self.person
    let without = try issuer.idToken(claims)
    claims["nonce"] = .string(Digest.sha256Hex(rawNonce))
    let with = try issuer.idToken(claims)
    // Google's servers ask of several audiences that one is the app, and nothing of the party.
    claims["nonce"] = .string(Digest.sha256Hex(rawNonce + "2"))
    claims["aud"] = [.string(issuer.clientID), "another"]
    claims["azp"] = "another"
    let audiences = try issuer.idToken(claims)
    let flow = flow(
      issuer, ["PLAIN": without, "NONCE": with, "AUDIENCES": audiences, "RAW": rawNonce])
    try await flow.run(program: "OIDC/nonces")
  }

  // S19 S22
  @Test func `a token that is not this app's, or not sound, is refused`() async throws {
    let issuer = try await TokenIssuer()
    defer { issuer.stop() }
    func token(_ changes: JSONObject, byStranger: Bool = false) throws -> String {
      var claims = Self.person
      for (name, value) in changes.entries { claims[name] = value }
      return try issuer.idToken(claims, byStranger: byStranger)
    }
    let flow = flow(
      issuer,
      [
        "AUDIENCE": try token(["aud": "another-app"]),
        "ISSUER": try token(["iss": .string(issuer.origin + "/")]),
        "EXPIRED": try token([
          "iat": .integer(TokenIssuer.now - 7200), "exp": .integer(TokenIssuer.now - 3600),
        ]),
        "FUTURE": try token([
          "iat": .integer(TokenIssuer.now + 7200), "exp": .integer(TokenIssuer.now + 9000),
        ]),
        "NOBODY": try token(["sub": nil]), "EMPTY": try token(["sub": ""]),
        "STRANGER": try token([:], byStranger: true), "GOOD": try token([:]),
      ])
    try await flow.run(program: "OIDC/unsound")
  }

  // S22
  @Test func `the clock of the emulator ends an ID token`() async throws {
    let issuer = try await TokenIssuer()
    defer { issuer.stop() }
    try await flow(issuer, ["GOOD": try issuer.idToken(Self.person)]).run(program: "OIDC/clock")
  }
}
