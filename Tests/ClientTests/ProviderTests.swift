@testable import Client
@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Testing

@Suite(.timeLimit(.minutes(1))) struct ProviderTests {
  private static let common = ["client_id", "response_type", "redirect_uri", "state", "scope"]

  @Test(arguments: ["microsoft.com", "yahoo.com", "oidc.corp"])
  func `reserved parameters are refused by name`(_ id: String) throws {
    var provider = try OAuthProvider(id)
    var reserved = Self.common
    if id != "yahoo.com" { reserved.append("response_mode") }
    for name in reserved {
      let error = #expect(throws: AuthError.self) {
        try provider.setCustomParameters([name: "x"])
      }
      #expect(error?.code == .invalidCustomParameter)
      #expect(error?.message == "\(id) reserves the parameter \(name)")
    }
    #expect(provider.customParameters.isEmpty)
  }

  @Test func `Yahoo does not reserve the response mode`() throws {
    var provider = try OAuthProvider("yahoo.com")
    try provider.setCustomParameters(["response_mode": "query", "language": "fr"])
    #expect(provider.customParameters == ["response_mode": "query", "language": "fr"])
    try provider.setCustomParameters(["prompt": "login"])
    #expect(provider.customParameters == ["prompt": "login"])
  }

  @Test(arguments: [["prompt": ""], ["": "x"]])
  func `an empty parameter is refused`(_ parameters: [String: String]) throws {
    var provider = try OAuthProvider("microsoft.com")
    let error = #expect(throws: AuthError.self) { try provider.setCustomParameters(parameters) }
    #expect(error?.code == .invalidCustomParameter)
  }

  @Test func `empty scopes are left out and joined ones refused`() throws {
    var provider = try OAuthProvider("microsoft.com")
    try provider.setScopes(["", "mail.read"])
    #expect(provider.scopes == ["mail.read"])
    for scope in ["mail.read calendars.read", "a,b", "a\n"] {
      #expect(throws: AuthError.self) { try provider.setScopes([scope]) }
    }
  }

  @Test(arguments: [
    "microsoft.com", "yahoo.com", "google.com", "facebook.com", "apple.com", "github.com",
    "oidc.corp", "oidc.Corp-1_x.y", "saml.corp",
  ])
  func `a provider id is accepted`(_ id: String) throws {
    #expect(try OAuthProvider(id).providerID == id)
  }

  @Test(arguments: [
    ("", "microsoft.com"), ("microsft.com", "did you mean microsoft.com?"),
    ("Google.com", "did you mean google.com?"), ("password", "EmailAuthProvider"),
    ("phone", "auth:signIn"), ("oidc.", "oidc.NAME"), ("oidc.a b", "oidc.NAME"),
    ("example.org", "oidc.NAME"), ("saml.\u{1B}[31m", "saml.NAME"),
  ])
  func `an id no project has is refused with what was meant`(_ id: String, _ hint: String) {
    let error = #expect(throws: AuthError.self) { try OAuthProvider(id) }
    #expect(error?.code == .invalidProviderID)
    #expect(error?.hint.contains(hint) == true)
    #expect(error?.message.contains("\u{1B}") == false)
  }

  @Test func `a credential needs a token`() {
    let error = #expect(throws: AuthError.self) {
      try OAuthProvider.credential(providerID: "oidc.corp", idToken: Secret(""))
    }
    #expect(error?.code == .invalidCredential)
  }

  @Test(arguments: ["microsoft.com", "yahoo.com"])
  func `raw tokens are refused before they are sent, but not to an emulator`(
    _ id: String
  ) async throws {
    let setup = Recorded.Setup(isEmulated: false)
    let credential = try OAuthProvider.credential(
      providerID: id, idToken: Secret("id-token"), accessToken: Secret("access-token"))
    let error = await failure { try await setup.auth.signIn(with: credential) }
    #expect(error?.code == .invalidCredential)
    #expect(error?.hint.contains("custom token") == true)
    #expect(setup.backend.calls.isEmpty)

    let user = try await setup.signIn()
    #expect(await failure { _ = try await user.link(with: credential) } != nil)
    #expect(await failure { _ = try await user.reauthenticate(with: credential) } != nil)
    #expect(setup.backend.calls(of: .signInWithIdp).isEmpty)

    let emulated = Recorded.Setup()
    emulated.backend.queue(.signInWithIdp, .ok(Recorded.tokens("U1", ["providerId": .string(id)])))
    _ = try await emulated.auth.signIn(with: credential)
  }

  @Test func `OpenID Connect needs an ID token`() async throws {
    let setup = Recorded.Setup()
    let credential = try OAuthProvider.credential(
      providerID: "oidc.corp", idToken: nil, accessToken: Secret("access-token"))
    let error = await failure { try await setup.auth.signIn(with: credential) }
    #expect(error?.code == .invalidCredential)
    #expect(error?.hint.contains("ID token") == true)
  }

  @Test func `the named providers make their credentials`() throws {
    let token = Secret("t")
    #expect(try GoogleAuthProvider.credential(idToken: token).providerID == "google.com")
    #expect(try FacebookAuthProvider.credential(accessToken: token).providerID == "facebook.com")
    #expect(try GitHubAuthProvider.credential(token: token).providerID == "github.com")
    #expect(
      EmailAuthProvider.credential(email: "a@x.example", password: token).signInMethod == "password"
    )
  }
}
