@testable import System
@testable import HTTP
@testable import OIDC
import Testing

@Suite("After the sign-in at a provider", .timeLimit(.minutes(1)))
struct OIDCClientTests {
  private func refresh(
    _ changes: [String: JSON?]?, previous: JSONObject? = ScriptedProvider.claims
  ) async throws -> Result<OIDCTokens, OIDCError> {
    let provider = try ScriptedProvider()
    var answer: JSONObject = ["access_token": "new", "refresh_token": "r2"]
    if let changes { answer["id_token"] = .string(try ScriptedProvider.idToken(changes)) }
    provider.answer("/token", json: .object(answer))
    let client = try await provider.client()
    do throws(OIDCError) {
      let tokens = try await client.refresh(Secret("r1"), previous: previous)
      #expect(
        provider.requests(to: "/token").first?.form
          == FormFields([
            ("grant_type", "refresh_token"), ("refresh_token", "r1"),
            ("client_id", "luath-client"),
          ]))
      return .success(tokens)
    } catch {
      return .failure(error)
    }
  }

  @Test func `a refresh need not bring an ID token`() async throws {
    let tokens = try await refresh(nil).get()
    #expect(tokens.claims == nil)
    #expect(tokens.response.accessToken == Secret("new"))
    #expect(tokens.response.refreshToken == Secret("r2"))
  }

  @Test(
    arguments: [
      ([:], nil), (["nonce": "n"], OIDCError.Code.wrongNonce), (["sub": "mallory"], .wrongSubject),
      (["auth_time": 1], nil), (["iss": "https://other.example"], .wrongIssuer),
      (["aud": "other"], .wrongAudience), (["exp": 1], .expired),
    ] as [([String: JSON?], OIDCError.Code?)])
  func `a refreshed ID token is about the same person`(
    changes: [String: JSON?], code: OIDCError.Code?
  ) async throws {
    let result = try await refresh(changes)
    let error: OIDCError? = if case .failure(let error) = result { error } else { nil }
    #expect(error?.code == code)
  }

  @Test func `a refreshed ID token is from the same sign-in`() async throws {
    var previous = ScriptedProvider.claims
    previous["nonce"] = "n"
    previous["auth_time"] = 1_799_999_000
    previous["azp"] = "luath-client"
    let kept: [String: JSON?] = ["nonce": "n", "auth_time": 1_799_999_000, "azp": "luath-client"]
    _ = try await refresh(kept, previous: previous).get()
    // django-oauth-toolkit names the person's latest sign-in instead of the token's own.
    _ = try await refresh(["auth_time": 1_799_999_001], previous: previous).get()
    let other = try await refresh(["azp": "luath-client", "nonce": "m"], previous: previous)
    #expect(#expect(throws: OIDCError.self) { try other.get() }?.code == .wrongNonce)
  }

  // MARK: Userinfo

  private func userinfo(
    _ answer: @escaping ScriptedProvider.Answer, subject: String? = "barbara"
  ) async throws -> Result<JSONObject, OIDCError> {
    let provider = try ScriptedProvider()
    provider.answer("/userinfo", [answer])
    let client = try await provider.client()
    let result: Result<JSONObject, OIDCError>
    do throws(OIDCError) {
      result = .success(try await client.userinfo(Secret("a-s3cret"), subject: subject))
    } catch {
      result = .failure(error)
      #expect(error.description.contains("s3cret") == false)
    }
    let request = try #require(provider.requests(to: "/userinfo").first)
    #expect(request.headers["Authorization"] == "Bearer a-s3cret")
    #expect(request.url.query == nil)
    return result
  }

  @Test func `the userinfo is the token's own person's`() async throws {
    let good = ScriptedProvider.json(["sub": "barbara", "name": "Barbara"])
    #expect(try await userinfo(good).get()["name"] == "Barbara")
    #expect(try await userinfo(good, subject: nil).get()["name"] == "Barbara")
    let other = try await userinfo(good, subject: "mallory")
    #expect(#expect(throws: OIDCError.self) { try other.get() }?.code == .wrongSubject)
  }

  private static func answer(
    _ status: Int, _ headers: HTTPHeaders, _ text: String = ""
  ) -> ScriptedProvider.Answer {
    { request in
      HTTPResponse(status: status, headers: headers, body: Array(text.utf8), url: request.url)
    }
  }

  @Test(
    arguments: [
      (
        answer(401, ["WWW-Authenticate": #"Bearer realm="x", error="invalid_token""#]),
        OIDCError.Code.refused, "invalid_token"
      ),
      (answer(401, [:]), .refused, nil), (answer(403, [:]), .refused, nil),
      (answer(500, [:]), .unexpectedAnswer, nil),
      (answer(302, ["Location": "https://other.example/"]), .unexpectedAnswer, nil),
      (answer(200, ["Content-Type": "application/jwt"], "e30.e30.x"), .unsupported, nil),
      (answer(200, ["Content-Type": "text/html"], "<html>"), .unexpectedAnswer, nil),
      (answer(200, [:], "{}"), .malformedClaims, nil),
      (answer(200, [:], #"{"sub":7}"#), .malformedClaims, nil),
      (ScriptedProvider.fail(.tooLarge), .unexpectedAnswer, nil),
    ] as [(ScriptedProvider.Answer, OIDCError.Code, String?)])
  func `a userinfo that is none is an error`(
    answer: @escaping ScriptedProvider.Answer, code: OIDCError.Code, name: String?
  ) async throws {
    let result = try await userinfo(answer)
    let error = try #require(throws: OIDCError.self) { try result.get() }
    #expect(error.code == code)
    #expect(error.providerError == name)
  }

  // MARK: Revocation

  @Test func `a token is revoked, by its kind`() async throws {
    let provider = try ScriptedProvider()
    provider.answer("/revoke", [Self.answer(200, [:])])
    let client = try await provider.client { $0.clientSecret = Secret("s") }
    try await client.revoke(Secret("r1"), kind: .refreshToken)
    try await client.revoke(Secret("a1"))
    let requests = provider.requests(to: "/revoke")
    #expect(
      requests.map(\.form) == [
        FormFields([("token", "r1"), ("token_type_hint", "refresh_token")]),
        FormFields([("token", "a1")]),
      ])
    #expect(requests.first?.headers["Authorization"]?.hasPrefix("Basic ") == true)
  }

  @Test func `a revocation that is refused is an error without the token`() async throws {
    let provider = try ScriptedProvider()
    provider.answer(
      "/revoke", status: 400,
      json: ["error": "unsupported_token_type", "error_description": "r1-s3cret is none"])
    let client = try await provider.client()
    let error = await failure { () async throws(OIDCError) in
      try await client.revoke(Secret("r1-s3cret"))
    }
    #expect(error?.code == .refused)
    #expect(error?.providerError == "unsupported_token_type")
    #expect(error?.message.contains("refuses to revoke a token") == true)
    #expect(error?.description.contains("s3cret") == false)
  }

  @Test(arguments: ["revocation_endpoint", "end_session_endpoint", "userinfo_endpoint"])
  func `what the provider does not offer is named`(endpoint: String) async throws {
    for value in [nil, .null] as [JSON?] {
      let provider = try ScriptedProvider()
      provider.describe(endpoint, value)
      let client = try await provider.client()
      let error = await failure { () async throws(OIDCError) in
        switch endpoint {
        case "revocation_endpoint": try await client.revoke(Secret("a"))
        case "end_session_endpoint": _ = try client.logout()
        default: _ = try await client.userinfo(Secret("a"), subject: nil)
        }
      }
      #expect(error?.code == .unsupported)
      #expect(error?.message.contains(endpoint) == true)
    }
  }

  @Test func `an endpoint in the clear is not used`() async throws {
    let provider = try ScriptedProvider()
    provider.describe("revocation_endpoint", "http://issuer.example/revoke")
    let client = try await provider.client()
    let error = await failure { () async throws(OIDCError) in
      try await client.revoke(Secret("a"))
    }
    #expect(error?.code == .unusableAddress)
  }

  // MARK: Sign-out

  @Test func `a sign-out names session, client and way back`() async throws {
    let client = try await ScriptedProvider().client()
    var options = LogoutOptions()
    options.idToken = Secret("i-s3cret")
    options.redirectURI = "http://127.0.0.1:8910/bye"
    options.uiLocales = ["fr"]
    let logout = try client.logout(options)
    let state = try #require(logout.state?.reveal())
    #expect(logout.url.path == "/logout")
    #expect(
      logout.url.fields
        == FormFields([
          ("client_id", "luath-client"), ("id_token_hint", "i-s3cret"),
          ("post_logout_redirect_uri", "http://127.0.0.1:8910/bye"), ("state", state),
          ("ui_locales", "fr"),
        ]))
    #expect("\(logout)" == "sign-out at https://issuer.example")
    try logout.finish(finalURL: "http://127.0.0.1:8910/bye?state=\(state)")
    for (address, code) in [
      ("http://127.0.0.1:8910/bye", OIDCError.Code.stateMismatch),
      ("http://127.0.0.1:8910/bye?state=x", .stateMismatch),
      ("http://127.0.0.1:8910/?state=\(state)", .redirectMismatch),
      ("http://127.0.0.1:8910/bye?error=access_denied&state=\(state)", .denied),
    ] {
      let error = #expect(throws: OIDCError.self) { try logout.finish(finalURL: address) }
      #expect(error?.code == code)
    }
    #expect(try client.logout().state == nil)
  }

  // MARK: Microsoft's shared description

  private static let tenants = "https://issuer.example/{tenantid}/v2.0"

  @Test func `a description that tenants share is taken for them all`() async throws {
    let provider = try ScriptedProvider()
    var description = ScriptedProvider.description.object ?? [:]
    description["issuer"] = .string(Self.tenants)
    for name in ["common", "organizations"] {
      provider.answer(
        "/\(name)/v2.0/.well-known/openid-configuration", json: .object(description))
      let client = try await provider.client { $0.issuer = "https://issuer.example/\(name)/v2.0" }
      for (issuer, tenant, code) in [
        ("https://issuer.example/11-aa/v2.0", "11-aa", nil),
        ("https://issuer.example/11-aa/v2.0", "22-bb", .wrongIssuer),
        ("https://issuer.example/{tenantid}/v2.0", "{tenantid}", .malformedClaims),
        ("https://issuer.example/11-aa/v2.0", nil, .malformedClaims),
      ] as [(String, String?, OIDCError.Code?)] {
        let token = try ScriptedProvider.idToken([
          "iss": .string(issuer), "tid": tenant.map { .string($0) },
        ])
        let error = await failure { () async throws(OIDCError) in
          _ = try await client.verify(Secret(token), nonce: .unchecked)
        }
        #expect(error?.code == code)
      }
    }
  }

  @Test func `a description of tenants is not that of one`() async throws {
    let provider = try ScriptedProvider()
    var description = ScriptedProvider.description.object ?? [:]
    description["issuer"] = .string(Self.tenants)
    provider.answer("/22-bb/v2.0/.well-known/openid-configuration", json: .object(description))
    let error = await failure { () async throws(OIDCError) in
      _ = try await provider.client { $0.issuer = "https://issuer.example/22-bb/v2.0" }
    }
    #expect(error?.code == .issuerMismatch)
  }
}
