@testable import System
@testable import HTTP
@testable import IdentityToolkit
@testable import OIDC
import Testing

@testable import Emulator

/// The backend at servers that err or cheat (RFC 9700, RFC 9207, OpenID Connect Core 3.1.3.7).
@Suite(.timeLimit(.minutes(2)))
struct RelyingPartyTests {
  private static let ada: JSONObject = ["sub": "ada"]

  private func expect(
    _ reply: Fixture.Reply, _ words: String, error: String = "INVALID_IDP_RESPONSE",
    _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(reply.error == error, sourceLocation: location)
    #expect(
      reply.message.contains(words), "\(reply.message)", sourceLocation: location)
  }

  // MARK: The request

  @Test func `every request has a state, a nonce and a challenge of its own`() async throws {
    try await FederatedFixture.run { fixture in
      let flows = [try await fixture.begin(), try await fixture.begin()]
      for flow in flows {
        #expect(flow.state.utf8.count >= 32)
        #expect(flow.query["code_challenge_method"] == "S256")
        #expect(flow.query["code_challenge"]?.utf8.count == 43)
        #expect(flow.query["nonce"] == Digest.sha256Hex(flow.sessionID.string ?? ""))
        #expect(flow.query["redirect_uri"] == FederatedFixture.continueURI)
        #expect(flow.query["kept"] == "1")
      }
      for name in ["state", "nonce", "code_challenge"] {
        #expect(flows[0].query[name] != flows[1].query[name])
      }
    }
  }

  // MARK: The answer of the authorization endpoint

  @Test func `an answer of another issuer is not acted on`() async throws {
    try await FederatedFixture.run { fixture in
      var flow = try await fixture.begin()
      var url = try await fixture.comeBack(flow, Self.ada)
      expect(
        try await fixture.finish(flow, url + "&iss=https%3A%2F%2Fevil.example"),
        "another issuer")
      #expect(await fixture.issuer.count("/token") == 0)
      // What comes with the right one is.
      flow = try await fixture.begin()
      url = try await fixture.comeBack(flow, Self.ada)
      let issuer = PercentEncoding.encode(await fixture.issuer.name)
      let reply = try await fixture.finish(flow, url + "&iss=\(issuer)")
      #expect(reply.status == 200, "\(reply.message)")
    }
  }

  @Test func `an answer names its issuer where the metadata promises it, errors too`()
    async throws
  {
    try await FederatedFixture.run { fixture in
      await fixture.issuer.describe(["authorization_response_iss_parameter_supported": true])
      var flow = try await fixture.begin()
      expect(
        try await fixture.finish(flow, try await fixture.comeBack(flow, Self.ada)),
        "does not name its issuer")
      flow = try await fixture.begin()
      let url = "\(FederatedFixture.continueURI)&error=access_denied&state=\(flow.state)"
      expect(try await fixture.finish(flow, url), "does not name its issuer")
    }
  }

  @Test func `a session works once, also after a refusal`() async throws {
    try await FederatedFixture.run { fixture in
      let flow = try await fixture.begin()
      let url = try await fixture.comeBack(flow, Self.ada)
      expect(try await fixture.finish(flow, url + "&iss=x"), "another issuer")
      expect(try await fixture.finish(flow, url), "the session id is unknown, used or expired")
    }
  }

  @Test func `codes and states of two sign-ins do not mix`() async throws {
    try await FederatedFixture.run { fixture in
      let first = try await fixture.begin()
      let second = try await fixture.begin()
      let url = try await fixture.comeBack(first, Self.ada)
      expect(try await fixture.finish(second, url), "state is missing or belongs to another")
      // The code of another sign-in under one's own state fails at the challenge.
      let third = try await fixture.begin()
      let code = WebURL(url)?.fields["code"] ?? ""
      expect(
        try await fixture.finish(
          third, "\(FederatedFixture.continueURI)&code=\(code)&state=\(third.state)"),
        "the code could not be redeemed")
    }
  }

  @Test func `a posted answer counts as one in the address`() async throws {
    try await FederatedFixture.run { fixture in
      let flow = try await fixture.begin()
      let url = try await fixture.comeBack(flow, Self.ada)
      let fields = try #require(WebURL(url)).fields
      let posted = FormFields([
        ("code", fields["code"] ?? ""), ("state", fields["state"] ?? ""),
      ])
      let reply = try await fixture.finish(
        flow, FederatedFixture.continueURI, ["postBody": .string(posted.encoded)])
      #expect(reply.status == 200, "\(reply.message)")
    }
  }

  @Test(arguments: [true, false])
  func `a server that gives ID tokens needs no code`(isPosted: Bool) async throws {
    try await FederatedFixture.run({ project in
      project.providers["oidc.corp"]?.flow = .idToken
    }) { fixture in
      let flow = try await fixture.begin()
      #expect(flow.query["response_type"] == "id_token")
      let token = try await fixture.issuer.idToken(
        ["sub": "ada", "nonce": .string(flow.query["nonce"] ?? "")], now: ForeignIssuer.now)
      let answer = FormFields([("id_token", token), ("state", flow.state)]).encoded
      let reply =
        isPosted
        ? try await fixture.finish(
          flow, FederatedFixture.continueURI, ["postBody": .string(answer)])
        : try await fixture.finish(flow, "\(FederatedFixture.continueURI)#\(answer)")
      #expect(reply.status == 200, "\(reply.message)")
      #expect(await fixture.issuer.count("/token") == 0)
    }
  }

  @Test(
    arguments: ["state", "code", "iss", "id_token", "error"], ["query", "fragment", "body", "two"])
  func `a parameter that is there twice is refused`(name: String, place: String) async throws {
    try await FederatedFixture.run { fixture in
      let flow = try await fixture.begin()
      var url = try await fixture.comeBack(flow, Self.ada)
      if WebURL(url)?.fields[name] == nil { url += "&\(name)=x" }
      // Also when it is the same once more.
      let again = FormFields([(name, WebURL(url)?.fields[name] ?? "")]).encoded
      var more: JSONObject = [:]
      switch place {
      case "query": url += "&\(again)"
      case "fragment": url += "#\(again)"
      case "body": more["postBody"] = .string(again)
      default:
        // In the body and in the fragment.
        more["postBody"] = .string(again)
        url = "\(FederatedFixture.continueURI)&state=\(flow.state)#\(again)"
      }
      expect(try await fixture.finish(flow, url, more), "parameter \(name) more than once")
      #expect(await fixture.issuer.count("/token") == 0)
    }
  }

  // MARK: The ID token

  private static let longSubject = JSON.string(String(repeating: "a", count: 256))

  @Test(arguments: ["at_hash", "c_hash"])
  func `a hash of another token or code is refused`(name: String) async throws {
    try await FederatedFixture.run { fixture in
      let reply = try await fixture.signIn(["sub": "ada", name: "AAAAAAAAAAAAAAAAAAAAAA"])
      expect(reply, "\(name) does not match the rest of the response")
    }
  }

  @Test func `the hash of the right code is welcome, beside an ID token too`() async throws {
    func hash(_ text: String) -> JSON {
      .string(Base64URL.encode(Array(Digest.sha256(Array(text.utf8)).prefix(16))))
    }
    try await FederatedFixture.run({ $0.providers["oidc.corp"]?.flow = .idToken }) { fixture in
      for isRight in [true, false] {
        let flow = try await fixture.begin()
        let token = try await fixture.issuer.idToken(
          [
            "sub": "ada", "nonce": .string(flow.query["nonce"] ?? ""),
            "c_hash": hash("the code"), "at_hash": hash("the token"),
          ], now: ForeignIssuer.now)
        let answer = FormFields([
          ("id_token", token), ("state", flow.state), ("code", "the code"),
          ("access_token", isRight ? "the token" : "another"),
        ])
        let reply = try await fixture.finish(
          flow, "\(FederatedFixture.continueURI)#\(answer.encoded)")
        #expect((reply.status == 200) == isRight, "\(reply.message)")
      }
    }
  }

  @Test(
    arguments: [
      (
        ["aud": "other"],
        "The audience in ID Token [other] does not match the expected audience client-1."
      ),
      (
        ["aud": .null],
        "The audience in ID Token [] does not match the expected audience client-1."
      ),
      (
        ["iss": "https://evil.example"],
        "The issuer in ID Token https://evil.example does not match the expected one in config: http://127.0.0.1:"
      ),
      (["iat": 1_700_000_000, "exp": 1000], "ID Token issued at 1700000000 is stale to sign-in."),
      (["iat": 99_999_999_999], "ID Token issued at 99999999999 is stale to sign-in."),
      (["exp": .null], "Unable to parse the ID Token."),
      (["iat": .null], "Unable to parse the ID Token."),
      (["exp": "tomorrow"], "Unable to parse the ID Token."), (["sub": .null], "sub is missing"),
      (["sub": longSubject], "sub is longer than 255 characters"),
      (["events": ["http://schemas.openid.net/event/backchannel-logout": [:]]], "of another kind"),
    ] as [(JSONObject, String)])
  func `an ID token that breaks a rule is refused`(claims: JSONObject, words: String) async throws {
    try await FederatedFixture.run { fixture in
      var all = Self.ada
      for (name, value) in claims.entries { all[name] = value }
      expect(try await fixture.signIn(all), words)
    }
  }

  @Test(
    arguments: [
      ["aud": ["client-1", "other"]], ["aud": ["client-1", "other"], "azp": "other"],
      ["azp": "other"], ["nbf": 99_999_999_999],
    ] as [JSONObject])
  func `Google's servers accept further audiences, any azp and a future nbf`(
    claims: JSONObject
  ) async throws {
    try await FederatedFixture.run { fixture in
      var all = Self.ada
      for (name, value) in claims.entries { all[name] = value }
      let reply = try await fixture.signIn(all)
      #expect(reply.status == 200, "\(reply.message)")
      #expect(reply["federatedId"] == "oidc.corp/ada")
    }
  }

  @Test func `times with a fraction are read`() async throws {
    try await FederatedFixture.run { fixture in
      let now = Double(fixture.emulator.clock.seconds)
      var claims = Self.ada
      claims["iat"] = .number(now - 0.5)
      claims["exp"] = .number(now + 300.5)
      let reply = try await fixture.signIn(claims)
      #expect(reply.status == 200, "\(reply.message)")
    }
  }

  @Test func `a clock that is a little off does no harm`() async throws {
    try await FederatedFixture.run { fixture in
      // The emulator's clock, which stands still however long this takes.
      let now = fixture.emulator.clock.seconds
      let times: [(issued: Int64, from: Int64, to: Int64)] = [
        (now + 30, now, now + 300), (now, now, now - 20), (now, now + 30, now + 300),
      ]
      for time in times {
        let claims: JSONObject = [
          "iat": .integer(time.issued), "nbf": .integer(time.from), "exp": .integer(time.to),
        ]
        var all = Self.ada
        for (name, value) in claims.entries { all[name] = value }
        let reply = try await fixture.signIn(all)
        #expect(reply.status == 200, "\(reply.message)")
      }
    }
  }

  @Test func `a token without the nonce, or with another, is refused`() async throws {
    try await FederatedFixture.run { fixture in
      expect(
        try await fixture.signIn(["sub": "ada", "nonce": .null]), "has no nonce",
        error: "MISSING_OR_INVALID_NONCE")
      expect(
        try await fixture.signIn(["sub": "ada", "nonce": "x"]), "of another sign-in",
        error: "MISSING_OR_INVALID_NONCE")
    }
  }

  @Test(arguments: ["none", "HS256", "HS512"])
  func `an algorithm that proves nothing is refused`(algorithm: String) async throws {
    try await FederatedFixture.run { fixture in
      let token = try await fixture.issuer.idToken(
        Self.ada, header: ["alg": .string(algorithm), "typ": "JWT"], now: ForeignIssuer.now)
      expect(try await fixture.present(token), "an algorithm that is not allowed")
    }
  }

  @Test func `a new key is fetched in the middle, a stranger's only a few times`() async throws {
    try await FederatedFixture.run { fixture in
      let issuer = fixture.issuer
      #expect(try await fixture.signIn(Self.ada).status == 200)
      #expect(await issuer.count("/jwks") == 1)
      #expect(try await fixture.signIn(Self.ada).status == 200)
      #expect(await issuer.count("/jwks") == 1)
      try await issuer.rotateKey()
      #expect(try await fixture.signIn(Self.ada).status == 200)
      #expect(await issuer.count("/jwks") == 2)
      for _ in 0..<20 {
        let token = try await issuer.idToken(
          Self.ada, header: ["alg": "RS256", "kid": "stranger"], now: ForeignIssuer.now)
        expect(try await fixture.present(token), "Unable to verify the ID Token signature.")
      }
      #expect(await issuer.count("/jwks") <= 1 + ProviderKeys.fetchesPerMinute)
    }
  }

  // MARK: Servers that are not well

  @Test(
    arguments: [
      (["issuer": "https://evil.example"], "names another issuer: https://evil.example"),
      (["issuer": .null], "names no issuer"),
      (["token_endpoint": "http://evil.example/token"], "token_endpoint is not an https address"),
      (["jwks_uri": "ftp://127.0.0.1/"], "jwks_uri is not an https address"),
      (["authorization_endpoint": .null], "authorization_endpoint is not an https address"),
    ] as [(JSONObject, String)])
  func `a discovery document that cannot be trusted ends it at once`(
    changes: JSONObject, words: String
  ) async throws {
    try await FederatedFixture.run { fixture in
      await fixture.issuer.describe(changes)
      let reply = try await fixture.emulator.call(
        .createAuthUri,
        [
          "providerId": "oidc.corp", "continueUri": .string(FederatedFixture.continueURI),
        ])
      expect(reply, words)
    }
  }

  /// A page where JSON should be, an error, a redirect, and more than anybody needs.
  private static let troubles: [(name: String, words: String, response: ServerResponse)] = [
    ("HTML", "", ServerResponse(text: "<p>Welcome", type: "text/html")),
    ("a list", "", ServerResponse(json: [])),
    ("status 503", "503", ServerResponse(status: 503, text: "<p>later")),
    (
      "a redirect", "302",
      ServerResponse(status: 302, text: "", headers: ["Location": "https://evil.example/"])
    ),
    (
      "2 MB", "",
      ServerResponse(text: String(repeating: " ", count: 2 << 20), type: "application/json")
    ),
  ]

  @Test(
    arguments: ["/.well-known/openid-configuration", "/jwks", "/token", "/userinfo"],
    troubles.indices)
  func `a server that answers with something else gets a clear refusal`(
    path: String, index: Int
  ) async throws {
    let trouble = Self.troubles[index]
    try await FederatedFixture.run { fixture in
      await fixture.issuer.answer(path) { _ in .now(trouble.response) }
      let reply: Fixture.Reply
      if path.hasPrefix("/.well-known") {
        reply = try await fixture.emulator.call(
          .createAuthUri,
          [
            "providerId": "oidc.corp", "continueUri": .string(FederatedFixture.continueURI),
          ])
      } else {
        reply = try await fixture.signIn(Self.ada)
      }
      #expect(reply.status == 400)
      expect(reply, trouble.words)
      #expect(!reply.message.contains("Welcome"))
      // The redirect was not followed: nobody knows evil.example, and nobody was asked.
      #expect(!reply.message.contains("evil.example"))
    }
  }

  @Test(arguments: ["/.well-known/openid-configuration", "/token"])
  func `a slow server is given up`(path: String) async throws {
    try await FederatedFixture.run(patience: .seconds(1)) { fixture in
      await fixture.issuer.answer(path) { _ in
        // The answer begins and never ends.
        .stream(ServerResponse(status: 200)) { _ in }
      }
      let reply =
        path == "/token"
        ? try await fixture.signIn(Self.ada)
        : try await fixture.emulator.call(
          .createAuthUri,
          [
            "providerId": "oidc.corp", "continueUri": .string(FederatedFixture.continueURI),
          ])
      expect(reply, "")
    }
  }

  @Test func `what a server says is cleaned, and holds none of our secrets`() async throws {
    try await FederatedFixture.run { fixture in
      await fixture.issuer.answer("/token") { request in
        .now(
          ServerResponse(
            status: 400,
            json: [
              "error": "invalid_grant",
              "error_description": .string(
                "\u{1B}[31m\(request.form["code_verifier"] ?? "") \(request.form["code"] ?? "")"),
            ]))
      }
      let flow = try await fixture.begin()
      let url = try await fixture.comeBack(flow, Self.ada)
      let reply = try await fixture.finish(flow, url)
      expect(reply, "invalid_grant")
      #expect(!reply.message.contains(WebURL(url)?.fields["code"] ?? "?"))
      #expect(!reply.message.unicodeScalars.contains("\u{1B}"))
    }
  }

  /// Puts whatever a provider was sent into its error; the app must see nothing of it.
  @Test(arguments: ["error", "error_description"])
  func `a server that quotes the request gives nothing away`(member: String) async throws {
    let jwt = "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl"
    try await FederatedFixture.run { fixture in
      let issuer = fixture.issuer
      let secret = issuer.clientSecret.reveal()
      let pair = "\(issuer.clientID):\(PercentEncoding.encode(secret))"
      let bare = Base64URL.encode(Array("\(issuer.clientID):\(secret)".utf8))
      let quotes: [@Sendable (HTTPRequest) -> String] = [
        { $0.headers["Authorization"] ?? "" }, { _ in bare }, { _ in secret },
        { _ in PercentEncoding.encode(secret) }, { $0.form["code"] ?? "" },
        { $0.form["code_verifier"] ?? "" }, { _ in jwt },
      ]
      for quote in quotes {
        await issuer.answer("/token") { request in
          var body: JSONObject = ["error": "invalid_grant"]
          body[member] = .string(quote(request))
          return .now(ServerResponse(status: 400, json: .object(body)))
        }
        let flow = try await fixture.begin()
        let url = try await fixture.comeBack(flow, Self.ada)
        let code = WebURL(url)?.fields["code"] ?? ""
        let reply = try await fixture.finish(flow, url)
        expect(reply, "refuses to")
        let leaks = [
          Base64.encode(Array(pair.utf8)).filter { $0 != "=" }, bare, secret,
          PercentEncoding.encode(secret), code, jwt,
        ]
        #expect(!leaks.contains { reply.message.contains($0) }, "\(reply.message)")
        // The verifier is the one that fits the challenge.
        let words = reply.message.split { " ()".contains($0) }.map(String.init)
        let challenge = flow.query["code_challenge"] ?? ""
        #expect(!words.contains { PKCE.matches(verifier: $0, challenge: challenge) })
      }
    }
  }

  @Test func `an error in the address gives nothing away either`() async throws {
    try await FederatedFixture.run { fixture in
      let flow = try await fixture.begin()
      let pair = "\(fixture.issuer.clientID):\(fixture.issuer.clientSecret.reveal())"
      let basic = Base64.encode(Array(pair.utf8))
      let answer = FormFields([
        ("error", "access_denied"), ("state", flow.state),
        (
          "error_description",
          "\(flow.state) Basic \(basic) \u{1B} \(fixture.issuer.clientSecret.reveal())"
        ),
      ])
      let reply = try await fixture.finish(
        flow, "\(FederatedFixture.continueURI)&\(answer.encoded)")
      expect(reply, "the provider refused: access_denied")
      for leak in [flow.state, basic.filter { $0 != "=" }, "secret & 1", "\u{1B}"] {
        #expect(!reply.message.contains(leak), "\(reply.message)")
      }
    }
  }
}
