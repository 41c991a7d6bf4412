@testable import Client
@testable import Emulator
@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Testing

@testable import SignIn

/// An app with Auth on a loop of its own, signing in through the delegate.
actor App {
  nonisolated let loop: EventLoop
  private let origin: String

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(_ providers: Providers) throws {
    loop = try EventLoop(name: "app")
    try loop.start()
    origin = providers.origin
  }

  deinit { loop.stop() }

  struct Outcome: Sendable {
    var uid: String
    var email: String?
    var providerUID: String?
    var isNewUser: Bool?
    var profile: JSONObject
    var hasAccessToken: Bool
    var failure: ErrorCode?
    var details: JSON?
    var message = ""
  }

  /// Signs in with a provider and tells how it went.
  func signIn(
    _ providerID: String, _ answers: SignInAnswers, scopes: [String] = [],
    parameters: [String: String] = [:], keepsSession: Bool = false, times: Int = 1
  ) async throws -> Outcome {
    let client = HTTPClient(loop: loop)
    let url = try #require(WebURL(origin))
    let auth = Auth(
      target: Target(projectID: "demo-luath", apiKey: Secret("key"), backend: .emulator(url)),
      transport: client)
    let delegate = FormDelegate(transport: client, answers: answers, keepsSession: keepsSession)
    var provider = try OAuthProvider(providerID)
    try provider.setScopes(scopes)
    try provider.setCustomParameters(parameters)
    do {
      var result = try await auth.signIn(with: auth.getCredential(provider, delegate: delegate))
      for _ in 1..<times {
        result = try await auth.signIn(with: auth.getCredential(provider, delegate: delegate))
      }
      return Outcome(
        uid: result.user.uid, email: result.user.email,
        providerUID: result.user.providerData.first?.uid,
        isNewUser: result.additionalUserInfo?.isNewUser,
        profile: result.additionalUserInfo?.profile ?? [:],
        hasAccessToken: result.credential?.accessToken != nil)
    } catch {
      return Outcome(
        uid: "", profile: [:], hasAccessToken: false, failure: error.code, details: error.details,
        message: error.description)
    }
  }
}

/// Auth, the delegate, the pages and the backend together, meeting on the wire only.
@Suite(.timeLimit(.minutes(1)))
struct FormDelegateTests {
  @Test(arguments: ["microsoft.com", "yahoo.com", "google.com", "oidc.corp", "oidc.implicit"])
  func `a person signs in to the app`(provider: String) async throws {
    let providers = try await Providers.start { _ in }
    let app = try App(providers)
    let outcome = try await app.signIn(provider, providers.answers(provider))
    #expect(outcome.failure == nil, "\(outcome.message)")
    #expect(outcome.email == Providers.people[provider])
    #expect(outcome.isNewUser == true)
    #expect(outcome.hasAccessToken == (provider != "oidc.implicit"))
    #expect(!outcome.profile.isEmpty)
    await providers.stop()
  }

  @Test func `a kept session finds the account in the chooser`() async throws {
    let providers = try await Providers.open()
    let app = try App(providers)
    let outcome = try await app.signIn(
      "google.com", providers.answers("google.com"), keepsSession: true, times: 2)
    #expect(outcome.failure == nil, "\(outcome.message)")
    #expect(outcome.isNewUser == false)
    await providers.stop()
  }

  @Test func `scopes and parameters of the guides work`() async throws {
    let providers = try await Providers.open()
    let app = try App(providers)
    let microsoft = try await app.signIn(
      "microsoft.com", providers.answers("microsoft.com"), scopes: ["mail.read", "calendars.read"],
      parameters: [
        "prompt": "consent", "login_hint": "ada@contoso.example", "tenant": "contoso.example",
      ])
    #expect(microsoft.failure == nil, "\(microsoft.message)")
    #expect(microsoft.profile["displayName"] == "Ada Lovelace")
    let yahoo = try await app.signIn(
      "yahoo.com", providers.answers("yahoo.com"), scopes: ["mail-r", "sdct-w"],
      parameters: ["prompt": "login", "language": "fr"])
    #expect(yahoo.failure == nil, "\(yahoo.message)")
    #expect(yahoo.profile["sub"]?.string == yahoo.providerUID)
    await providers.stop()
  }

  @Test func `each failure keeps the page's words and none of the secrets`() async throws {
    let providers = try await Providers.open()
    let app = try App(providers)
    let foreign = try await app.signIn(
      "microsoft.com", providers.answers("microsoft.com", as: "grace@fabrikam.example"),
      parameters: ["tenant": "contoso.example"])
    #expect(foreign.failure == .webSignInUserInteractionFailure)
    #expect(foreign.details?["reason"] == "errorPage")
    #expect(foreign.message.contains("AADSTS50020"))
    let scope = try await app.signIn(
      "yahoo.com", providers.answers("yahoo.com"), scopes: ["sdct-r"])
    #expect(scope.failure == .webSignInUserInteractionFailure)
    #expect(scope.message.contains("invalid_scope"))
    let denied = try await app.signIn(
      "google.com", providers.answers("google.com", consent: false),
      parameters: ["prompt": "consent"])
    #expect(denied.details?["reason"] == "consentDenied")
    var answers = providers.answers("google.com")
    answers.password = Secret("hunter2hunter2")
    let wrong = try await app.signIn("google.com", answers)
    #expect(wrong.details?["reason"] == "passwordRefused")
    for outcome in [foreign, scope, denied, wrong] {
      #expect(!outcome.message.contains("hunter2"))
      #expect(!outcome.message.contains("luath-demo\""))
      #expect(!outcome.message.contains("?"))
    }
    await providers.stop()
  }
}
