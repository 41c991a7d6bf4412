@testable import System
@testable import HTTP
@testable import OIDC
import Testing

@Suite("Token exchange", .timeLimit(.minutes(1)))
struct TokenExchangeTests {
  static let code = Secret("code-s3cret")
  static let verifier = Secret("verifier-s3cret")
  static let client = ClientCredentials(id: "my client", secret: Secret("p:w/é"))

  private static func exchange(
    _ origin: String, client: ClientCredentials = client
  ) throws -> AuthorizationCodeExchange {
    AuthorizationCodeExchange(
      tokenEndpoint: try #require(WebURL(origin + "/token?p=1")), client: client, code: code,
      redirectURI: "http://127.0.0.1:9/cb?a=1&b=2", verifier: verifier)
  }

  /// The error an exchange ends with when the server answers so.
  private func refusal(_ answer: ServerResponse) async throws -> OIDCError? {
    try await withProvider { _, _ in
      answer
    } _: { _, client, origin, log in
      let exchange = try Self.exchange(origin)
      let error = await failure { () async throws(OIDCError) in
        _ = try await exchange.tokens(over: client)
      }
      // A code is spent by sending it, so it is never sent twice.
      #expect(log.all.count == 1)
      return error
    }
  }

  @Test func `a code is sent with its redirect address and verifier`() async throws {
    try await withProvider { _, _ in
      ServerResponse(json: ["access_token": "a"])
    } _: { _, client, origin, log in
      _ = try await Self.exchange(origin).tokens(over: client)
      let request = try #require(log.all.first)
      #expect(request.method == "POST")
      #expect(request.url.pathAndQuery == "/token?p=1")
      #expect(request.headers["Content-Type"] == "application/x-www-form-urlencoded")
      #expect(
        request.form
          == FormFields([
            ("grant_type", "authorization_code"), ("code", "code-s3cret"),
            ("redirect_uri", "http://127.0.0.1:9/cb?a=1&b=2"), ("code_verifier", "verifier-s3cret"),
          ]))
    }
  }

  @Test func `a client proves itself in the way it was told to`() async throws {
    let secret = Secret("p:w/é")
    let requests = try await withProvider { _, _ in
      ServerResponse(json: ["access_token": "a"])
    } _: { _, client, origin, log in
      for method in ClientCredentials.Method.allCases {
        let credentials = ClientCredentials(id: "my client", secret: secret, method: method)
        _ = try await Self.exchange(origin, client: credentials).tokens(over: client)
      }
      return log.all
    }
    try #require(requests.count == 3)
    let pair = Base64.encode(Array("my%20client:p%3Aw%2F%C3%A9".utf8))
    #expect(requests.map { $0.headers["Authorization"] } == ["Basic \(pair)", nil, nil])
    #expect(requests.map { $0.form["client_id"] } == [nil, "my client", "my client"])
    #expect(requests.map { $0.form["client_secret"] } == [nil, "p:w/é", nil])
  }

  @Test func `without a method the secret decides`() {
    #expect(ClientCredentials(id: "a", secret: Secret("b")).method == .basic)
    #expect(ClientCredentials(id: "a", secret: nil).method == .none)
  }

  @Test func `all tokens are read`() async throws {
    try await withProvider { _, _ in
      ServerResponse(json: [
        "id_token": "i", "access_token": "a", "refresh_token": "r", "expires_in": 3600,
        "scope": "openid email", "token_type": "bearer", "xoauth_yahoo_guid": "g",
      ])
    } _: { _, client, origin, _ in
      let tokens = try await Self.exchange(origin).tokens(over: client)
      #expect(tokens.idToken == Secret("i"))
      #expect(tokens.accessToken == Secret("a"))
      #expect(tokens.refreshToken == Secret("r"))
      #expect(tokens.expiresIn == 3600)
      #expect(tokens.scope == "openid email")
      #expect(tokens.tokenType == "bearer")
      #expect(tokens.others == ["xoauth_yahoo_guid": "g"])
    }
  }

  @Test func `what may be missing may be missing`() throws {
    let tokens = try TokenResponse(json: ["access_token": "a", "id_token": "", "expires_in": "60"])
    #expect(tokens.idToken == nil)
    #expect(tokens.expiresIn == 60)
    #expect(tokens.tokenType == "Bearer")
    #expect(tokens.scope == nil)
    for json in [[:], [], nil, ["access_token": ""], ["access_token": 1]] as [JSON] {
      let error = #expect(throws: OIDCError.self) { try TokenResponse(json: json) }
      #expect(error?.code == .unexpectedAnswer)
    }
  }

  @Test(arguments: [200, 400, 401, 403, 500])
  func `a refusal keeps the provider's word for it`(status: Int) async throws {
    let error = try await refusal(
      ServerResponse(
        status: status,
        json: ["error": "invalid_grant", "error_description": "the code has\u{1B}[31m expired"]))
    #expect(error?.code == .refused)
    #expect(error?.providerError == "invalid_grant")
    #expect(error?.message.contains("the code has [31m expired") == true)
    #expect(error?.hint.contains("start the sign-in again") == true)
  }

  @Test func `a refusal that repeats our secrets does not pass them on`() async throws {
    let error = try await refusal(
      ServerResponse(
        status: 400,
        json: [
          "error": "invalid_grant",
          "error_description": "bad code-s3cret with verifier-s3cret of p:w/é code-s3cret",
        ]))
    #expect(
      error?.message.hasSuffix("(bad [secret] with [secret] of [secret] [secret])") == true)
    #expect(error?.description.contains("s3cret") == false)
  }

  @Test func `a long refusal is cut`() async throws {
    let error = try await refusal(
      ServerResponse(
        status: 400,
        json: [
          "error": "invalid_grant",
          "error_description": .string(String(repeating: "x", count: 9_000)),
        ]))
    #expect((error?.message.count ?? 0) < 400)
  }

  @Test(arguments: [
    (ServerResponse(status: 400), OIDCError.Code.refused),
    (ServerResponse(status: 403, text: "<html>"), .refused),
    (ServerResponse(status: 400, json: ["error": ["a": 1]]), .refused),
    (ServerResponse(status: 400, json: ["error": "two words"]), .refused),
    (ServerResponse(status: 500), .unexpectedAnswer),
    (ServerResponse(status: 307, headers: ["Location": "/other"]), .unexpectedAnswer),
    (ServerResponse(), .unexpectedAnswer), (ServerResponse(json: [:]), .unexpectedAnswer),
    (ServerResponse(text: "access_token=a"), .unexpectedAnswer),
  ])
  func `an answer without tokens is an error`(
    answer: ServerResponse, code: OIDCError.Code
  ) async throws {
    let error = try await refusal(answer)
    #expect(error?.code == code)
    #expect(error?.providerError == nil)
  }

  @Test func `a code is never sent in the clear to another machine`() async throws {
    try await withProvider { _, _ in
      ServerResponse()
    } _: { _, client, _, log in
      let exchange = try Self.exchange("http://issuer.example")
      let error = await failure { () async throws(OIDCError) in
        _ = try await exchange.tokens(over: client)
      }
      #expect(error?.code == .unusableAddress)
      #expect(log.all.isEmpty)
    }
  }

  @Test func `a refresh token is redeemed`() async throws {
    try await withProvider { _, _ in
      ServerResponse(json: ["access_token": "b", "refresh_token": "r2"])
    } _: { _, client, origin, log in
      let exchange = RefreshTokenExchange(
        tokenEndpoint: try #require(WebURL(origin + "/token")),
        client: ClientCredentials(id: "public", secret: nil), refreshToken: Secret("r1"))
      let tokens = try await exchange.tokens(over: client)
      #expect(tokens.refreshToken == Secret("r2"))
      #expect(
        log.all.first?.form
          == FormFields([
            ("grant_type", "refresh_token"), ("refresh_token", "r1"), ("client_id", "public"),
          ]))
    }
  }
}
