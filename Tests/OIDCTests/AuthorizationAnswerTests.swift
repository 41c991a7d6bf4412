@testable import System
@testable import HTTP
@testable import OIDC
import Testing

@Suite("Answers to authorization requests", .timeLimit(.minutes(1)))
struct AuthorizationAnswerTests {
  private static let callback = "http://127.0.0.1:8910/callback"

  /// A provider whose token endpoint gives an ID token for the flow, with some claims changed.
  private static func tokens(
    _ flow: OIDCFlow, _ changes: [String: JSON?] = [:], key: SigningKey? = nil,
    accessToken: String = "access"
  ) throws -> ScriptedProvider.Answer {
    var claims: [String: JSON?] = ["nonce": .string(flow.sentNonce)]
    for (name, value) in changes { claims[name] = value }
    return ScriptedProvider.json([
      "id_token": .string(try ScriptedProvider.idToken(claims, key: key)),
      "access_token": .string(accessToken), "refresh_token": "refresh", "expires_in": 3600,
    ])
  }

  /// How one flow ends with the answer that `address` makes of it.
  private func finish(
    tokens changes: [String: JSON?] = [:],
    options change: (inout AuthorizationOptions) -> Void = { _ in },
    postBody: ((OIDCFlow) throws -> String)? = nil,
    _ address: (OIDCFlow) throws -> String
  ) async throws -> (Result<OIDCTokens, OIDCError>, ScriptedProvider, OIDCFlow) {
    let provider = try ScriptedProvider()
    let client = try await provider.client()
    var options = AuthorizationOptions()
    change(&options)
    let flow = try client.begin(options)
    provider.answer("/token", [try Self.tokens(flow, changes)])
    let address = try address(flow)
    let body = try postBody?(flow)
    do throws(OIDCError) {
      let tokens = try await client.finish(
        flow, finalURL: address, postBody: body.map { Secret($0) })
      return (.success(tokens), provider, flow)
    } catch {
      return (.failure(error), provider, flow)
    }
  }

  private static func good(_ flow: OIDCFlow) -> String {
    "\(callback)?code=c0de&state=\(flow.state.reveal())&iss=https://issuer.example"
  }

  @Test func `a code becomes tokens, with redirect address and verifier`() async throws {
    let (result, provider, flow) = try await finish(Self.good)
    let tokens = try result.get()
    #expect(tokens.claims?["sub"] == "barbara")
    #expect(tokens.rawNonce == flow.rawNonce)
    #expect(tokens.response.accessToken == Secret("access"))
    #expect(tokens.response.refreshToken == Secret("refresh"))
    let form = try #require(provider.requests(to: "/token").first?.form)
    #expect(form["grant_type"] == "authorization_code")
    #expect(form["code"] == "c0de")
    #expect(form["redirect_uri"] == Self.callback)
    #expect(form["client_id"] == "luath-client")
    #expect(
      PKCE.matches(
        verifier: form["code_verifier"] ?? "",
        challenge: flow.url.fields["code_challenge"] ?? ""))
  }

  @Test(arguments: [
    ("?code=c&state=STATE", OIDCError.Code.issuerMissing),
    ("?code=c&state=STATE&iss=https://other.example", .wrongIssuer),
    ("?code=c&state=STATE&iss=https://issuer.example/", .wrongIssuer),
    ("?code=c&iss=https://issuer.example", .stateMismatch),
    ("?code=c&state=&iss=https://issuer.example", .stateMismatch),
    ("?code=c&state=forged&iss=https://issuer.example", .stateMismatch),
    ("?code=c&state=STATEx&iss=https://issuer.example", .stateMismatch),
    ("?code=c&state=STATE&state=STATE&iss=https://issuer.example", .unexpectedAnswer),
    ("?code=c&state=STATE&iss=https://issuer.example#code=d", .unexpectedAnswer),
    ("?state=STATE&iss=https://issuer.example", .unexpectedAnswer),
    ("?code=&state=STATE&iss=https://issuer.example", .unexpectedAnswer),
    ("/?code=c&state=STATE&iss=https://issuer.example", .redirectMismatch),
    ("x?code=c&state=STATE&iss=https://issuer.example", .redirectMismatch),
    ("?error=access_denied&state=STATE", .denied),
    ("?error=access_denied", .denied),
    ("?error=login_required&state=STATE&error_description=ask", .providerError),
    ("?error=access_denied&state=forged", .stateMismatch),
    ("?error=server_error&state=STATE&iss=https://other.example", .wrongIssuer),
  ])
  func `an answer that is not this sign-in's own is refused`(
    ending: String, code: OIDCError.Code
  ) async throws {
    let (result, provider, flow) = try await finish { flow in
      // Not `replacing`, which would need more than the standard library on some platforms.
      let parts = ending.split(separator: "STATE", omittingEmptySubsequences: false)
      return Self.callback + parts.joined(separator: flow.state.reveal())
    }
    let error = #expect(throws: OIDCError.self) { try result.get() }
    #expect(error?.code == code)
    #expect(provider.requests(to: "/token").isEmpty)
    #expect(error?.description.contains(flow.state.reveal()) == false)
  }

  @Test(arguments: [
    "https://127.0.0.1:8910/callback", "http://127.0.0.1:8911/callback",
    "http://localhost:8910/callback", "http://evil.example/callback", "/callback", "",
  ])
  func `another origin is not the redirect address`(address: String) async throws {
    let (result, provider, _) = try await finish { flow in
      "\(address)?code=c&state=\(flow.state.reveal())&iss=https://issuer.example"
    }
    #expect(#expect(throws: OIDCError.self) { try result.get() }?.code == .redirectMismatch)
    #expect(provider.requests(to: "/token").isEmpty)
  }

  @Test func `a redirect address's own query must come back`() async throws {
    for (query, code) in [("x=1&", nil), ("x=2&", .redirectMismatch), ("", .redirectMismatch)]
      as [(String, OIDCError.Code?)]
    {
      let (result, _, _) = try await finish {
        $0.redirectURI = Self.callback + "?x=1"
      } _: { flow in
        "\(Self.callback)?\(query)code=c&state=\(flow.state.reveal())&iss=https://issuer.example"
      }
      let error: OIDCError? = if case .failure(let error) = result { error } else { nil }
      #expect(error?.code == code)
    }
  }

  @Test func `the provider's words are kept, its secrets are not`() async throws {
    let (result, _, flow) = try await finish { flow in
      "\(Self.callback)?error=consent_required&state=\(flow.state.reveal())"
        + "&error_description=say%1B%5B31m%20\(flow.state.reveal())"
    }
    let error = try #require(throws: OIDCError.self) { try result.get() }
    #expect(error.providerError == "consent_required")
    #expect(error.message.contains("[secret]"))
    #expect(error.message.contains("\u{1B}") == false)
    #expect(error.message.contains(flow.state.reveal()) == false)
  }

  @Test func `a flow takes one answer`() async throws {
    let provider = try ScriptedProvider()
    let client = try await provider.client()
    let flow = try client.begin()
    provider.answer("/token", [try Self.tokens(flow)])
    // Someone else's answer does not use it up.
    let forged = await failure { () async throws(OIDCError) in
      _ = try await client.finish(flow, finalURL: Self.callback + "?code=x&state=y")
    }
    #expect(forged?.code == .stateMismatch)
    _ = try await client.finish(flow, finalURL: Self.good(flow))
    let replayed = await failure { () async throws(OIDCError) in
      _ = try await client.finish(flow, finalURL: Self.good(flow))
    }
    #expect(replayed?.code == .answerReplayed)
    #expect(provider.requests(to: "/token").count == 1)
  }

  @Test func `a code of another sign-in is caught by its token's nonce`() async throws {
    let provider = try ScriptedProvider()
    let client = try await provider.client()
    let victim = try client.begin()
    let attacker = try client.begin()
    // The provider's PKCE is supposed to refuse this; here it sleeps.
    provider.answer("/token", [try Self.tokens(victim)])
    let error = await failure { () async throws(OIDCError) in
      _ = try await client.finish(attacker, finalURL: Self.good(attacker))
    }
    #expect(error?.code == .wrongNonce)
  }

  @Test(
    arguments: [
      (["nonce": nil], OIDCError.Code.missingNonce), (["nonce": "other"], .wrongNonce),
      (["aud": "other-client"], .wrongAudience), (["aud": ["luath-client"]], nil),
      (["aud": ["luath-client", "b"]], .wrongAudience),
      (["aud": ["luath-client", "b"], "azp": "luath-client"], nil),
      (["azp": "b"], .wrongAudience), (["iss": "https://other.example"], .wrongIssuer),
      (["exp": 1_799_999_000], .expired), (["exp": 1_799_999_950], nil),
      (["iat": 1_800_000_100], .notYetValid), (["nbf": 1_800_000_100], .notYetValid),
      (["iat": 1_800_000_050], nil), (["auth_time": 1_799_999_000.5], nil),
      (["sub": nil], .malformedClaims), (["at_hash": "AAAA"], .wrongHash),
      (["at_hash": 1], .wrongHash), (["at_hash": "P24o46m2NgcPKOhQQmhPmA"], .wrongHash),
    ] as [([String: JSON?], OIDCError.Code?)])
  func `the ID token must be in order`(
    changes: [String: JSON?], code: OIDCError.Code?
  ) async throws {
    let (result, _, _) = try await finish(tokens: changes, Self.good)
    let error: OIDCError? = if case .failure(let error) = result { error } else { nil }
    #expect(error?.code == code)
  }

  @Test func `a fitting at_hash is taken`() async throws {
    let half = Base64URL.encode(Array(Digest.sha256(Array("access".utf8)).prefix(16)))
    let (result, _, _) = try await finish(tokens: ["at_hash": .string(half)], Self.good)
    #expect(throws: Never.self) { try result.get() }
  }

  @Test(
    arguments: [
      (["auth_time": 1_799_999_900], nil), (["auth_time": 1_799_999_000], .staleSignIn),
      ([:], .staleSignIn),
    ] as [([String: JSON?], OIDCError.Code?)])
  func `a sign-in may not be older than asked for`(
    changes: [String: JSON?], code: OIDCError.Code?
  ) async throws {
    let (result, _, _) = try await finish(tokens: changes, options: { $0.maxAge = 100 }, Self.good)
    let error: OIDCError? = if case .failure(let error) = result { error } else { nil }
    #expect(error?.code == code)
  }

  // MARK: ID tokens through the browser

  private static func hash(_ text: String) -> String {
    Base64URL.encode(Array(Digest.sha256(Array(text.utf8)).prefix(16)))
  }

  @Test func `an ID token in the fragment is enough for its type`() async throws {
    let (result, provider, _) = try await finish(options: { $0.responseType = .idToken }) { flow in
      let token = try ScriptedProvider.idToken(["nonce": .string(flow.sentNonce)])
      return "\(Self.callback)#id_token=\(token)&state=\(flow.state.reveal())"
        + "&iss=https://issuer.example"
    }
    let tokens = try result.get()
    #expect(tokens.claims?["sub"] == "barbara")
    #expect(tokens.response.idToken != nil)
    #expect(provider.requests(to: "/token").isEmpty)
  }

  @Test(
    arguments: [
      (nil, nil), ("barbara", nil), ("mallory", OIDCError.Code.wrongSubject),
    ] as [(String?, OIDCError.Code?)])
  func `a code beside an ID token must be its own`(
    second: String?, code: OIDCError.Code?
  ) async throws {
    let changes: [String: JSON?] = second.map { ["sub": .string($0)] } ?? [:]
    let (result, _, _) = try await finish(tokens: changes) {
      $0.responseType = .codeAndIDToken
      $0.responseMode = .formPost
    } postBody: { flow in
      let token = try ScriptedProvider.idToken([
        "nonce": .string(flow.sentNonce), "c_hash": .string(Self.hash("c0de")),
      ])
      return "code=c0de&id_token=\(token)&state=\(flow.state.reveal())&iss=https://issuer.example"
    } _: { _ in
      Self.callback
    }
    let error: OIDCError? = if case .failure(let error) = result { error } else { nil }
    #expect(error?.code == code)
  }

  @Test func `an injected code does not fit the ID token's hash`() async throws {
    for claim in [.string(Self.hash("other")), nil] as [JSON?] {
      let (result, provider, _) = try await finish {
        $0.responseType = .codeAndIDToken
      } _: { flow in
        let token = try ScriptedProvider.idToken([
          "nonce": .string(flow.sentNonce), "c_hash": claim,
        ])
        return "\(Self.callback)#code=c0de&id_token=\(token)&state=\(flow.state.reveal())"
          + "&iss=https://issuer.example"
      }
      #expect(#expect(throws: OIDCError.self) { try result.get() }?.code == .wrongHash)
      #expect(provider.requests(to: "/token").isEmpty)
    }
  }

  @Test func `a provider that promises no iss need not send one`() async throws {
    let provider = try ScriptedProvider()
    provider.describe("authorization_response_iss_parameter_supported", nil)
    let client = try await provider.client()
    let flow = try client.begin()
    provider.answer("/token", [try Self.tokens(flow)])
    let address = "\(Self.callback)?code=c&state=\(flow.state.reveal())"
    _ = try await client.finish(flow, finalURL: address)
    let other = try client.begin()
    let error = await failure { () async throws(OIDCError) in
      _ = try await client.finish(
        other, finalURL: "\(Self.callback)?code=c&state=\(other.state.reveal())&iss=https://x.y")
    }
    #expect(error?.code == .wrongIssuer)
  }
}
