@testable import System
@testable import HTTP
@testable import IdentityToolkit
@testable import OIDC
import Testing

@testable import Emulator

/// The emulator with `oidc.corp` and `oidc.other` at a foreign issuer, and the steps of a sign-in there.
final class FederatedFixture {
  let emulator: Fixture
  let issuer: ForeignIssuer
  static let continueURI = "http://localhost:9/cb?keep=1"

  private init(_ emulator: Fixture, _ issuer: ForeignIssuer) {
    self.emulator = emulator
    self.issuer = issuer
  }

  static func run(
    patience: Duration = .seconds(15), _ change: (inout ProjectConfiguration) -> Void = { _ in },
    _ body: (FederatedFixture) async throws -> Void
  ) async throws {
    let issuer = try ForeignIssuer()
    let name = try await issuer.start()
    do {
      try await Fixture.run(
        patience: patience,
        { project in
          for id in ["oidc.corp", "oidc.other"] {
            var provider = ProviderConfiguration(id: id)
            provider.clientID = issuer.clientID
            provider.clientSecret = issuer.clientSecret
            provider.issuer = name
            project.providers[id] = provider
          }
          change(&project)
        }
      ) { try await body(FederatedFixture($0, issuer)) }
    } catch {
      await issuer.stop()
      throw error
    }
    await issuer.stop()
  }

  /// A sign-in that has been started: the provider's page is open.
  struct Flow {
    let sessionID: JSON
    let query: FormFields
    var state: String { query["state"] ?? "" }
  }

  func begin(_ provider: String = "oidc.corp", _ more: JSONObject = [:]) async throws -> Flow {
    var body: JSONObject = [
      "providerId": .string(provider), "continueUri": .string(Self.continueURI),
    ]
    for (name, value) in more.entries { body[name] = value }
    let reply = try await emulator.call(.createAuthUri, .object(body))
    try #require(reply.status == 200, "\(reply.message)")
    let url = try #require(reply["authUri"]?.string.flatMap { WebURL($0) })
    return Flow(sessionID: try #require(reply["sessionId"]), query: url.fields)
  }

  /// The URL the browser comes back to after the person signed in.
  func comeBack(
    _ flow: Flow, _ claims: JSONObject, profile: JSONObject? = nil
  ) async throws -> String {
    var claims = claims
    if claims["nonce"] == nil { claims["nonce"] = .string(flow.query["nonce"] ?? "") }
    let code = await issuer.grant(
      ForeignIssuer.Grant(
        claims: claims, profile: profile, challenge: flow.query["code_challenge"] ?? "",
        redirectURI: Self.continueURI))
    return "\(Self.continueURI)&code=\(code)&state=\(flow.state)"
  }

  func finish(_ flow: Flow, _ url: String, _ more: JSONObject = [:]) async throws -> Fixture.Reply {
    var body: JSONObject = [
      "requestUri": .string(url), "sessionId": flow.sessionID, "returnSecureToken": true,
      "returnIdpCredential": true,
    ]
    for (name, value) in more.entries { body[name] = value }
    return try await emulator.call(.signInWithIdp, .object(body))
  }

  /// A whole redirect sign-in.
  func signIn(
    _ claims: JSONObject, _ more: JSONObject = [:], provider: String = "oidc.corp"
  ) async throws -> Fixture.Reply {
    let flow = try await begin(provider)
    return try await finish(flow, try await comeBack(flow, claims), more)
  }

  /// A sign-in with an ID token the caller has already.
  func present(
    _ idToken: String, provider: String = "oidc.corp", nonce: String? = nil,
    _ more: JSONObject = [:]
  ) async throws -> Fixture.Reply {
    var form = FormFields([("providerId", provider), ("id_token", idToken)])
    if let nonce { form.append("nonce", nonce) }
    var body: JSONObject = [
      "requestUri": "http://localhost", "postBody": .string(form.encoded),
      "returnIdpCredential": true, "returnSecureToken": true,
    ]
    for (name, value) in more.entries { body[name] = value }
    return try await emulator.call(.signInWithIdp, .object(body))
  }
}
