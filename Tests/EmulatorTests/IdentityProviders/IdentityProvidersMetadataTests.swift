@testable import System
@testable import HTTP
@testable import OIDC
import Testing

@testable import Emulator

/// What the providers say about themselves is true.
@Suite(.timeLimit(.minutes(1)))
struct IdentityProvidersMetadataTests {
  private static let documents: [(provider: String, path: String)] = [
    ("microsoft.com", "/login.microsoftonline.com/contoso.example/v2.0"),
    ("yahoo.com", "/api.login.yahoo.com"), ("google.com", "/accounts.google.com"),
    ("oidc.corp", "/oidc/corp"),
  ]

  private func metadata(_ visitor: ProviderVisitor, _ path: String) async throws -> JSON {
    try await visitor.send("\(path)/.well-known/openid-configuration").json()
  }

  @Test(arguments: documents.map(\.path))
  func `every endpoint that is listed answers`(path: String) async throws {
    let visitor = try await ProviderVisitor()
    let document = try await metadata(visitor, path)
    for (name, address) in document.object?.entries ?? []
    where name.hasSuffix("_endpoint") || name == "jwks_uri" {
      let answer = try await visitor.send(try #require(address.string))
      #expect(answer.status != 404, "\(name)")
    }
    let hasDevices = document["device_authorization_endpoint"] != nil
    let grants = document["grant_types_supported"]?.array ?? []
    #expect(grants.contains(.string(IdentityProviders.deviceGrant)) == hasDevices)
    await visitor.end()
  }

  @Test(arguments: documents)
  func `answers and errors name the issuer of the metadata`(provider: String, path: String)
    async throws
  {
    let visitor = try await ProviderVisitor()
    let document = try await metadata(visitor, path)
    #expect(document["authorization_response_iss_parameter_supported"] == true)
    let endpoint = try #require(document["authorization_endpoint"]?.string)
    let answer = try await visitor.authorize(
      ["prompt": "none"], path: endpoint, client: "luath-client-\(provider)")
    let url = try #require(answer.headers["Location"].flatMap { WebURL($0) })
    #expect(url.fields["error"] == "login_required")
    #expect(url.fields["iss"] == document["issuer"]?.string)
    await visitor.end()
  }

  @Test func `an answer for any Microsoft tenant names no issuer`() async throws {
    let visitor = try await ProviderVisitor()
    let document = try await metadata(visitor, "/login.microsoftonline.com/common/v2.0")
    #expect(document["authorization_response_iss_parameter_supported"] == false)
    let answer = try await visitor.authorize(
      ["prompt": "none"], path: "/login.microsoftonline.com/common/oauth2/v2.0/authorize",
      client: "luath-client-microsoft.com")
    #expect(answer.headers["Location"]?.contains("iss=") == false)
    await visitor.end()
  }

  @Test(arguments: ["microsoft.com", "yahoo.com", "google.com", "oidc.corp"])
  func `the claims that are listed are those that tokens have`(provider: String) throws {
    let kind: IdentityProvider.Kind =
      switch provider {
      case "microsoft.com": .microsoft
      case "yahoo.com": .yahoo
      case "google.com": .google
      default: .oidc
      }
    var person = try #require(ProjectConfiguration.demo.people.first)
    person.photo = "https://photo.example/1"
    let claims = ProviderClaims(
      person: person,
      provider: IdentityProvider(kind: kind, id: provider, registration: nil),
      clientID: "c", scopes: ["openid", "profile", "email"]
    ).claims
    // Those that a token of its own adds.
    let added =
      ["iss", "aud", "exp", "iat", "auth_time", "nonce", "at_hash", "c_hash"]
      + (kind == .microsoft ? ["nbf"] : []) + (kind == .google ? ["azp"] : [])
    #expect(
      Set(ProviderClaims.names(of: kind)) == Set(claims.entries.map(\.0) + added))
  }

  @Test func `a public client needs PKCE and no secret`() async throws {
    var project = ProjectConfiguration.demo
    project.providers["oidc.corp"]?.clientSecret = nil
    let visitor = try await ProviderVisitor(project)
    let document = try await metadata(visitor, "/oidc/corp")
    #expect(document["token_endpoint_auth_methods_supported"] == ["none"])
    let refused = try await visitor.authorize()
    #expect(refused.headers["Location"]?.contains("error=invalid_request") == true)
    let pkce = PKCE()
    let code = try await visitor.code([
      "code_challenge": pkce.challenge, "code_challenge_method": "S256",
    ])
    let answer = try await visitor.token([
      "code": code, "client_secret": nil, "code_verifier": pkce.verifier.reveal(),
    ])
    #expect(answer.status == 200)
    await visitor.end()
  }

  @Test func `registered addresses are compared byte for byte, but for a loopback port`() {
    let rules = RedirectRules(
      ["https://app.example/cb", "http://127.0.0.1/cb?x=1", "http://[::1]:7/"],
      appDomain: "app.example")
    for good in [
      "https://app.example/cb", "http://127.0.0.1/cb?x=1", "http://127.0.0.1:49152/cb?x=1",
      "http://[::1]:9/",
    ] { #expect(rules.admit(good)) }
    for bad in [
      "https://app.example:8443/cb", "https://app.example/cb/", "https://app.example/CB",
      "https://app.example/__/auth/handler", "http://127.0.0.1:9/cb", "http://localhost/cb?x=1",
      "http://127.0.0.1:9/cb?x=1&y=2", "https://127.0.0.1/cb?x=1", "http://[::1]:9/#f",
    ] { #expect(!rules.admit(bad)) }
  }
}
