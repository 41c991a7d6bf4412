@testable import System
@testable import HTTP
@testable import OIDC
import Testing

@Suite("Authorization requests", .timeLimit(.minutes(1)))
struct AuthorizationRequestTests {
  private func refusal(
    _ change: (inout AuthorizationOptions) -> Void, metadata: String? = nil, _ value: JSON? = nil
  ) async throws -> OIDCError? {
    let provider = try ScriptedProvider()
    if let metadata { provider.describe(metadata, value) }
    let client = try await provider.client()
    var options = AuthorizationOptions()
    change(&options)
    return await failure { () throws(OIDCError) in _ = try client.begin(options) }
  }

  @Test func `a request carries state, nonce and challenge, each of its own`() async throws {
    let provider = try ScriptedProvider()
    provider.describe("authorization_endpoint", "https://issuer.example/authorize?tenant=a")
    let client = try await provider.client()
    let flow = try client.begin()
    let fields = flow.url.fields
    #expect(flow.url.path == "/authorize")
    #expect(
      fields.pairs.map(\.name) == [
        "tenant", "response_type", "client_id", "redirect_uri", "scope", "state", "nonce",
        "code_challenge", "code_challenge_method",
      ])
    #expect(fields["response_type"] == "code")
    #expect(fields["client_id"] == "luath-client")
    #expect(fields["redirect_uri"] == "http://127.0.0.1:8910/callback")
    #expect(fields["scope"] == "openid profile email")
    #expect(fields["state"] == flow.state.reveal())
    #expect(fields["nonce"] == flow.nonce?.reveal())
    #expect(fields["code_challenge_method"] == "S256")
    #expect(fields["code_challenge"]?.utf8.count == 43)
    #expect(flow.sentNonce == Digest.sha256Hex(flow.rawNonce?.reveal() ?? ""))
    #expect(flow.state.reveal().utf8.count >= 43)
    #expect("\(flow)" == "sign-in at https://issuer.example")
    let other = try client.begin().url.fields
    for name in ["state", "nonce", "code_challenge"] { #expect(fields[name] != other[name]) }
  }

  @Test func `options become parameters`() async throws {
    let client = try await ScriptedProvider().client()
    var options = AuthorizationOptions()
    options.responseType = .codeAndIDToken
    options.responseMode = .formPost
    options.redirectURI = "https://app.example/cb?x=1"
    options.scopes = ["email"]
    options.prompt = "login consent"
    options.maxAge = 60
    options.loginHint = "barbara@corp.example"
    options.uiLocales = ["fr", "en"]
    options.acrValues = ["gold"]
    options.parameters = [("domain_hint", "a&b")]
    options.hashesNonce = false
    let flow = try client.begin(options)
    let fields = flow.url.fields
    #expect(fields["response_type"] == "code id_token")
    #expect(fields["response_mode"] == "form_post")
    #expect(fields["redirect_uri"] == "https://app.example/cb?x=1")
    #expect(fields["scope"] == "openid email")
    #expect(fields["prompt"] == "login consent")
    #expect(fields["max_age"] == "60")
    #expect(fields["login_hint"] == "barbara@corp.example")
    #expect(fields["ui_locales"] == "fr en")
    #expect(fields["acr_values"] == "gold")
    #expect(fields["domain_hint"] == "a&b")
    #expect(flow.nonce == flow.rawNonce)
  }

  @Test func `a listening delegate's address goes before all others`() async throws {
    let client = try await ScriptedProvider().client()
    let listener = try #require(WebURL("http://127.0.0.1:40000/"))
    #expect(try client.begin(presentation: listener).redirectURI == listener)
    var options = AuthorizationOptions()
    options.redirectURI = "https://app.example/cb"
    #expect(try client.begin(options).redirectURI.description == "https://app.example/cb")
    #expect(try client.begin(options, presentation: listener).redirectURI == listener)
    var logout = LogoutOptions()
    logout.redirectURI = "https://app.example/bye"
    #expect(try client.logout(logout).redirectURI?.path == "/bye")
    #expect(try client.logout(logout, presentation: listener).redirectURI == listener)
  }

  @Test func `without a code there is nothing to prove`() async throws {
    let client = try await ScriptedProvider().client()
    var options = AuthorizationOptions()
    options.responseType = .idToken
    #expect(try client.begin(options).url.fields["code_challenge"] == nil)
  }

  @Test(arguments: [
    "client_id", "redirect_uri", "response_type", "response_mode", "scope", "state", "nonce",
    "code_challenge", "code_challenge_method", "prompt", "max_age", "login_hint", "ui_locales",
    "acr_values", "request", "request_uri", "client_secret",
  ])
  func `a reserved parameter is refused`(name: String) async throws {
    let error = try await refusal { $0.parameters = [("ok", "1"), (name, "2")] }
    #expect(error?.code == .unusableRequest)
    #expect(error?.message.contains(name) == true)
  }

  @Test func `requests that make no sense are refused`() async throws {
    #expect(
      try await refusal {
        $0.responseType = .idToken
        $0.responseMode = .query
      }?.code == .unusableRequest)
    #expect(try await refusal { $0.maxAge = -1 }?.code == .unusableRequest)
    #expect(try await refusal { $0.prompt = "none login" }?.code == .unusableRequest)
    #expect(
      try await refusal { $0.redirectURI = "http://app.example/cb" }?.code == .unusableAddress)
    #expect(try await refusal { $0.redirectURI = "https://a.example/#x" }?.code == .unusableAddress)
    #expect(try await refusal { $0.redirectURI = "callback" }?.code == .unusableAddress)
    let error = try await refusal(
      { $0.responseType = .idToken }, metadata: "response_types_supported", ["code"])
    #expect(error?.code == .unsupported)
    #expect(
      try await refusal(
        { $0.responseType = .codeAndIDToken }, metadata: "response_types_supported",
        ["id_token code"]) == nil)
  }

  @Test func `a client without a redirect address says so`() async throws {
    let client = try await ScriptedProvider().client { $0.redirectURI = nil }
    let error = await failure { () throws(OIDCError) in _ = try client.begin() }
    #expect(error?.code == .unusableRequest)
  }

  @Test func `the provider's list chooses how a secret is sent`() async throws {
    func method(
      _ methods: JSON?, _ change: (inout OIDCClientSettings) -> Void = { _ in }
    ) async throws -> ClientCredentials.Method {
      let provider = try ScriptedProvider()
      provider.describe("token_endpoint_auth_methods_supported", methods)
      return try await provider.client {
        $0.clientSecret = Secret("s")
        change(&$0)
      }.credentials.method
    }
    #expect(try await method(nil) == .basic)
    #expect(try await method(["client_secret_post", "client_secret_basic"]) == .basic)
    #expect(try await method(["none", "client_secret_post"]) == .post)
    #expect(try await method(["private_key_jwt"]) { $0.authentication = .post } == .post)
    #expect(try await method(["client_secret_basic"]) { $0.clientSecret = nil } == .none)
    await #expect(throws: OIDCError.self) { _ = try await method(["private_key_jwt"]) }
    await #expect(throws: OIDCError.self) {
      _ = try await method(nil) {
        $0.clientSecret = nil
        $0.authentication = .basic
      }
    }
  }
}
