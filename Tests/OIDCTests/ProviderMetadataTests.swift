@testable import System
@testable import HTTP
@testable import OIDC
import Testing

@Suite("Provider descriptions", .timeLimit(.minutes(1)))
struct ProviderMetadataTests {
  static let issuer = "https://issuer.example/tenant"
  static let good: JSONObject = [
    "issuer": .string(issuer), "authorization_endpoint": "https://issuer.example/authorize?a=1",
    "token_endpoint": "https://token.example/token", "jwks_uri": "https://issuer.example/keys",
    "userinfo_endpoint": "https://issuer.example/me", "response_types_supported": ["code"],
    "scopes_supported": ["openid", "email"],
    "token_endpoint_auth_methods_supported": ["client_secret_post"],
    "id_token_signing_alg_values_supported": ["RS256", "none"],
    "code_challenge_methods_supported": ["S256"], "extra": true,
  ]

  private func read(
    _ changes: [String: JSON?] = [:], issuer: String = issuer
  ) -> Result<ProviderMetadata, OIDCError> {
    Result { () throws(OIDCError) in
      try ProviderMetadata(json: .object(Self.good.with(changes)), issuer: issuer)
    }
  }

  private func refusal(_ changes: [String: JSON?], issuer: String = issuer) -> OIDCError.Code? {
    switch read(changes, issuer: issuer) {
    case .success: nil
    case .failure(let error): error.code
    }
  }

  @Test func `a whole description is read`() throws {
    let metadata = try read().get()
    #expect(metadata.issuer == Self.issuer)
    #expect(metadata.authorizationEndpoint.description == "https://issuer.example/authorize?a=1")
    #expect(metadata.tokenEndpoint.host == "token.example")
    #expect(metadata.jwksURI.path == "/keys")
    #expect(metadata.userinfoEndpoint?.path == "/me")
    #expect(metadata.responseTypes == ["code"])
    #expect(metadata.scopes == ["openid", "email"])
    #expect(metadata.tokenAuthenticationMethods == ["client_secret_post"])
    #expect(metadata.idTokenAlgorithms == ["RS256", "none"])
    #expect(metadata.codeChallengeMethods == ["S256"])
    #expect(metadata.document["extra"] == true)
  }

  @Test func `what may be missing may be missing`() throws {
    let metadata = try read([
      "userinfo_endpoint": .none, "scopes_supported": .none,
      "token_endpoint_auth_methods_supported": .none, "code_challenge_methods_supported": .none,
    ]).get()
    #expect(metadata.userinfoEndpoint == nil)
    #expect(metadata.tokenAuthenticationMethods == ["client_secret_basic"])
    #expect(metadata.codeChallengeMethods.isEmpty)
    #expect(metadata.scopes.isEmpty)
  }

  @Test func `the issuer must be the same to the byte`() {
    #expect(refusal([:], issuer: Self.issuer + "/") == .issuerMismatch)
    #expect(refusal(["issuer": "https://ISSUER.example/tenant"]) == .issuerMismatch)
    #expect(refusal(["issuer": .none]) == .unexpectedAnswer)
    #expect(refusal(["issuer": [1]]) == .unexpectedAnswer)
  }

  @Test(arguments: [
    "http://issuer.example/x", "ftp://issuer.example/x", "/x", "", "https://",
    "javascript:alert(1)",
    "https://user:word@issuer.example/", "https://issuer.example/x#y", "http://localhost.example/x",
    "http://127.0.0.1.example/",
  ])
  func `an address without TLS is refused`(address: String) {
    for name in ["authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint"] {
      #expect(refusal([name: .string(address)]) == .unusableAddress)
    }
  }

  @Test(arguments: ["http://127.0.0.1:8080/x", "http://localhost/x", "http://[::1]:9/x"])
  func `plain http is accepted on this machine, of an issuer that has no TLS either`(
    address: String
  ) {
    #expect(refusal(["token_endpoint": .string(address)]) == .unusableAddress)
    let issuer = "http://127.0.0.1:8080"
    let changes: [String: JSON?] = ["issuer": .string(issuer), "token_endpoint": .string(address)]
    #expect(refusal(changes, issuer: issuer) == nil)
  }

  @Test(arguments: ["authorization_endpoint", "token_endpoint", "jwks_uri"])
  func `a required address must be there`(name: String) {
    #expect(refusal([name: .none]) == .unusableAddress)
    #expect(refusal([name: 5]) == .unusableAddress)
  }
}
