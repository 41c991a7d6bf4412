@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Testing

@Suite(.timeLimit(.minutes(1))) struct EndpointTests {
  @Test(arguments: [
    (Endpoint.signInWithIdp, "v1/accounts:signInWithIdp", "verifyAssertion" as String?),
    (.createAuthUri, "v1/accounts:createAuthUri", "createAuthUri"),
    (.signUp, "v1/accounts:signUp", "signupNewUser"),
    (.signInWithPassword, "v1/accounts:signInWithPassword", "verifyPassword"),
    (.signInWithEmailLink, "v1/accounts:signInWithEmailLink", "emailLinkSignin"),
    (.signInWithCustomToken, "v1/accounts:signInWithCustomToken", "verifyCustomToken"),
    (.lookup, "v1/accounts:lookup", "getAccountInfo"),
    (.update, "v1/accounts:update", "setAccountInfo"),
    (.delete, "v1/accounts:delete", "deleteAccount"),
    (.sendOobCode, "v1/accounts:sendOobCode", "getOobConfirmationCode"),
    (.getProjectConfig, "v1/projects", "getProjectConfig"),
    (.getPasswordPolicy, "v2/passwordPolicy", nil),
    (.finalizeMfaSignIn, "v2/accounts/mfaSignIn:finalize", nil),
    (.token, "v1/token", nil),
  ])
  func `an endpoint has its path and its legacy verb`(
    _ endpoint: Endpoint, _ path: String, _ verb: String?
  ) {
    #expect(endpoint.path == path)
    #expect(endpoint.legacyVerb == verb)
  }

  @Test func `paths and verbs are unique`() {
    #expect(Set(Endpoint.allCases.map(\.path)).count == Endpoint.allCases.count)
    let verbs = Endpoint.allCases.compactMap(\.legacyVerb)
    #expect(Set(verbs).count == verbs.count)
  }

  @Test func `production is reached at each service's host`() {
    let target = Target(projectID: "p", apiKey: Secret("K&1"), backend: .production)
    #expect(
      target.url(for: .signUp).description
        == "https://identitytoolkit.googleapis.com/v1/accounts:signUp?key=K%261")
    #expect(
      target.url(for: .token).description == "https://securetoken.googleapis.com/v1/token?key=K%261"
    )
    #expect(
      target.redirectURL()?.description == "https://p.firebaseapp.com/__/auth/handler")
    #expect(
      target.redirectURL(customAuthDomain: "login.corp.example")?.description
        == "https://login.corp.example/__/auth/handler")
    #expect(target.redirectURL(customAuthDomain: "a/b?c=") == nil)
  }

  @Test(arguments: ["http://127.0.0.1:9099", "http://[::1]:9099", "http://localhost:9099"])
  func `an emulator is reached with the host as first segment`(_ origin: String) throws {
    let url = try #require(WebURL(origin + "/ignored"))
    let target = Target(projectID: "p", apiKey: Secret("K"), backend: .emulator(url))
    #expect(
      target.url(for: .lookup).description
        == "\(origin)/identitytoolkit.googleapis.com/v1/accounts:lookup?key=K")
    #expect(target.redirectURL()?.description == "\(origin)/__/auth/handler")
    #expect(target.isEmulated)
  }
}
