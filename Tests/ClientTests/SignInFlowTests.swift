@testable import Client
@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Testing

@MainActor @Suite(.timeLimit(.minutes(1))) struct SignInFlowTests {
  let setup = Recorded.Setup()
  var backend: RecordedBackend { setup.backend }

  /// A delegate that answers with a given address.
  private final class Answering: PageDelegate {
    var redirectURL: WebURL?
    var requests: [SignInPageRequest] = []
    let answer: (SignInPageRequest) -> Result<String, AuthError>
    var gate: CheckedContinuation<Void, Never>?
    var isHeld = false
    var ends = 0

    init(_ answer: @escaping (SignInPageRequest) -> Result<String, AuthError>) {
      self.answer = answer
    }

    func present(_ request: SignInPageRequest) async throws(AuthError) -> PageAnswer {
      requests.append(request)
      if isHeld { await withCheckedContinuation { gate = $0 } }
      return PageAnswer(finalURL: try answer(request).get())
    }

    func end() async { ends += 1 }
  }

  private func finish(
    _ address: String, _ id: String = "microsoft.com", answer: JSON = Recorded.authorization
  ) async throws -> Credential {
    backend.queue(.createAuthUri, .ok(answer))
    let delegate = Answering { _ in .success(address) }
    return try await setup.auth.getCredential(try OAuthProvider(id), delegate: delegate)
  }

  @Test func `a page is asked for with scopes and parameters`() async throws {
    var provider = try OAuthProvider("microsoft.com")
    try provider.setScopes(["mail.read", "calendars.read"])
    try provider.setCustomParameters([
      "prompt": "consent", "login_hint": "ada@contoso.example", "tenant": "contoso.example",
    ])
    setup.auth.tenantID = "T1"
    backend.queue(.createAuthUri, .ok(Recorded.authorization))
    let delegate = Answering { _ in .success("\(Recorded.handler)?code=c&state=the-state") }
    _ = try await setup.auth.getCredential(provider, delegate: delegate)

    #expect(
      backend.calls.first?.body == [
        "providerId": "microsoft.com", "continueUri": .string(Recorded.handler),
        "customParameter": [
          "login_hint": "ada@contoso.example", "prompt": "consent", "tenant": "contoso.example",
        ], "oauthScope": #"{"microsoft.com":"mail.read,calendars.read"}"#, "tenantId": "T1",
      ])
    let request = try #require(delegate.requests.first)
    #expect(request.providerID == "microsoft.com")
    #expect(request.loginHint == "ada@contoso.example")
    #expect(request.isEmulated)
    #expect(request.redirectURI.description == Recorded.handler)
    #expect(!request.description.contains("the-state"))
    // Nothing but the page was asked for: accounts come in with signIn.
    #expect(backend.calls.count == 1)
  }

  @Test func `the whole final address goes to the backend, once`() async throws {
    let address = "\(Recorded.handler)?state=the-state&code=M.C5_x%21#id_token=eyJ-x&x=1"
    let credential = try await finish(address)
    backend.queue(.signInWithIdp, .ok(Recorded.tokens("U1", ["providerId": "microsoft.com"])))
    _ = try await setup.auth.signIn(with: credential)
    let body = try #require(backend.calls(of: .signInWithIdp).first?.body)
    #expect(body["requestUri"]?.string == address)
    #expect(body["sessionId"] == "the-session-id")
    #expect(body["postBody"] == nil)

    let error = await failure { try await setup.auth.signIn(with: credential) }
    #expect(error?.code == .invalidCredential)
    #expect(error?.message.contains("used before") == true)
    #expect(backend.calls(of: .signInWithIdp).count == 1)
  }

  @Test func `a refused code is used up, an unreachable backend uses up nothing`() async throws {
    let credential = try await finish("\(Recorded.handler)?code=c&state=the-state")
    backend.queue(
      .signInWithIdp, .failed(HTTPError(.connect, "nothing listens on h:1", hint: "start it")),
      .refused("INVALID_IDP_RESPONSE : code was already redeemed"))
    #expect(
      await failure { try await setup.auth.signIn(with: credential) }?.code == .networkError)
    let refused = await failure { try await setup.auth.signIn(with: credential) }
    #expect(refused?.serverName == "INVALID_IDP_RESPONSE")
    let again = await failure { try await setup.auth.signIn(with: credential) }
    #expect(again?.message.contains("used before") == true)
  }

  @Test(arguments: [
    "\(Recorded.handler)?code=c&state=another", "\(Recorded.handler)?code=c",
    "\(Recorded.handler)?state=the-state", "http://127.0.0.1:9098/__/auth/handler?code=c",
    "https://127.0.0.1:9099/__/auth/handler?code=c&state=the-state",
    "http://127.0.0.1:9099/other?code=c&state=the-state", "not an address", "",
    "https://login.microsoftonline.com/common/oauth2/v2.0/authorize?client_id=c&state=the-state",
    "\(Recorded.handler)?error=access_denied&state=another",
    "\(Recorded.handler)?code=c&state=the-state&state=another",
    "\(Recorded.handler)?code=c&state=the-state#code=d",
  ])
  func `an address of another sign-in is refused`(_ address: String) async {
    let error = await failure { _ = try await finish(address) }
    #expect(error?.code == .webStateMismatch)
    #expect(error?.description.contains("code=") == false)
    #expect(error?.description.contains("the-state") == false)
  }

  @Test(arguments: [
    ("access_denied", ErrorCode.webConsentDenied, "consent"),
    ("invalid_scope", .webSignInUserInteractionFailure, "provider.scopes"),
    ("something_else", .webSignInUserInteractionFailure, "provider:getCredential"),
  ])
  func `the provider's error is told with what to do`(
    _ name: String, _ code: ErrorCode, _ hint: String
  ) async {
    for place in ["?", "#"] {
      let address =
        "\(Recorded.handler)\(place)error=\(name)&error_description=No%1B%20luck&state=the-state"
      let error = await failure { _ = try await finish(address) }
      #expect(error?.code == code)
      #expect(error?.serverName == name)
      #expect(error?.message == "microsoft.com ended the sign-in with \(name): No  luck")
      #expect(error?.hint.contains(hint) == true)
      #expect(error?.details?["error"]?.string == name)
    }
  }

  @Test func `an error found before the request was read has no state`() async {
    let error = await failure {
      _ = try await finish("\(Recorded.handler)?error=unauthorized_client")
    }
    #expect(error?.code == .webSignInUserInteractionFailure)
  }

  @Test(arguments: [
    (#"{"code":"auth/invalid-oauth-client-id","message":"m"}"#, ErrorCode.invalidClientID),
    (#"{"code":"auth/network-request-failed","message":"m"}"#, .webNetworkRequestFailed),
    (#"{"code":"auth/internal-error","message":"m"}"#, .webInternalError),
    (#"{"code":"auth/user-cancelled","message":"m"}"#, .webSignInUserInteractionFailure),
    ("nonsense", .webSignInUserInteractionFailure),
  ])
  func `the handler page's errors have their codes`(_ json: String, _ code: ErrorCode) async {
    let address = "\(Recorded.handler)?firebaseError=\(PercentEncoding.encode(json))"
    #expect(await failure { _ = try await finish(address) }?.code == code)
  }

  @Test func `a posted answer goes to the backend as it was posted`() async throws {
    backend.queue(.createAuthUri, .ok(Recorded.authorization))
    let flow = try await setup.auth.beginSignIn(provider: try OAuthProvider("microsoft.com"))
    let body = Secret("code=a%2Bb&state=the-state&x=1")
    let credential = try flow.finish(PageAnswer(finalURL: Recorded.handler, postBody: body))
    backend.queue(.signInWithIdp, .ok(Recorded.tokens("U1", ["providerId": "microsoft.com"])))
    _ = try await setup.auth.signIn(with: credential)
    let sent = try #require(backend.calls(of: .signInWithIdp).first?.body)
    #expect(sent["requestUri"]?.string == Recorded.handler)
    #expect(sent["postBody"]?.string == body.reveal())
  }

  @Test func `a posted answer of another sign-in is refused`() async throws {
    backend.queue(.createAuthUri, .ok(Recorded.authorization))
    let flow = try await setup.auth.beginSignIn(provider: try OAuthProvider("microsoft.com"))
    let forged = PageAnswer(
      finalURL: Recorded.handler, postBody: Secret("code=c&state=another"))
    #expect(await failure { _ = try flow.finish(forged) }?.code == .webStateMismatch)
  }

  @Test func `what a delegate opened is closed on every way out`() async throws {
    for outcome in [
      "\(Recorded.handler)?code=c&state=the-state", "\(Recorded.handler)?code=c&state=no", nil,
    ] {
      if outcome != nil {
        backend.queue(.createAuthUri, .ok(Recorded.authorization))
      } else {
        backend.queue(.createAuthUri, .refused("OPERATION_NOT_ALLOWED"))
      }
      let delegate = Answering { _ in .success(outcome ?? "") }
      _ = try? await setup.auth.getCredential(try OAuthProvider("google.com"), delegate: delegate)
      #expect(delegate.ends == 1)
    }
  }

  @Test func `a delegate may get the credential without a page`() async throws {
    struct Device: AuthUIDelegate {
      func begin(_ providerID: String) async throws(AuthError) -> SignInWay {
        .credential { () async throws(AuthError) in
          try OAuthProvider.credential(providerID: providerID, idToken: Secret("eyJ"))
        }
      }
    }
    let credential = try await setup.auth.getCredential(
      try OAuthProvider("oidc.corp"), delegate: Device())
    #expect(credential.providerID == "oidc.corp")
    #expect(backend.calls.isEmpty)
  }

  @Test func `an implicit answer in the fragment is enough`() async throws {
    let credential = try await finish("\(Recorded.handler)#id_token=eyJ-x&state=the-state")
    #expect(credential.providerID == "microsoft.com")
  }

  @Test(arguments: [
    ["sessionId": "s"] as JSON, ["authUri": "https://a.example/x"],
    ["authUri": "nonsense", "sessionId": "s"],
  ])
  func `a backend that cannot start the sign-in is reported`(_ answer: JSON) async {
    let error = await failure { _ = try await finish("x", answer: answer) }
    #expect(error?.code == .internalError)
    #expect(error?.hint.isEmpty == false)
  }

  @Test func `an emulator without this request is named as the cause`() async {
    backend.queue(.createAuthUri, .refused("NOT_IMPLEMENTED : Sign-in with IDP is not supported"))
    let error = await failure {
      _ = try await setup.auth.beginSignIn(provider: try OAuthProvider("google.com"))
    }
    #expect(error?.code == .notImplemented)
  }

  @Test func `a provider of SAML takes neither scopes nor parameters`() async throws {
    backend.queue(.createAuthUri, .ok(Recorded.authorization))
    _ = try await setup.auth.beginSignIn(provider: try OAuthProvider("saml.corp"))
    #expect(
      backend.calls.first?.body == [
        "providerId": "saml.corp", "continueUri": .string(Recorded.handler),
      ])
  }

  @Test func `a delegate that listens itself gets the browser`() async throws {
    backend.queue(.createAuthUri, .ok(Recorded.authorization))
    let delegate = Answering { .success("\($0.redirectURI)?code=c&state=the-state") }
    delegate.redirectURL = WebURL("http://localhost:4711/cb#fragment")
    _ = try await setup.auth.getCredential(try OAuthProvider("google.com"), delegate: delegate)
    #expect(backend.calls.first?.body["continueUri"] == "http://localhost:4711/cb")
  }

  @Test func `a custom domain takes the project's place`() async throws {
    setup.auth.customAuthDomain = "login.example"
    backend.queue(.createAuthUri, .ok(Recorded.authorization))
    let flow = try await setup.auth.beginSignIn(provider: try OAuthProvider("google.com"))
    #expect(flow.request.redirectURI.description == "http://login.example/__/auth/handler")
    setup.auth.customAuthDomain = "not a domain"
    let error = await failure {
      _ = try await setup.auth.beginSignIn(provider: try OAuthProvider("google.com"))
    }
    #expect(error?.code == .unauthorizedDomain)
  }

  @Test func `a flow is finished once`() async throws {
    backend.queue(.createAuthUri, .ok(Recorded.authorization))
    let flow = try await setup.auth.beginSignIn(provider: try OAuthProvider("google.com"))
    _ = try flow.finish(PageAnswer(finalURL: "\(Recorded.handler)?code=c&state=the-state"))
    let error = #expect(throws: AuthError.self) {
      try flow.finish(PageAnswer(finalURL: "\(Recorded.handler)?code=c&state=the-state"))
    }
    #expect(error?.code == .webStateMismatch)
  }

  @Test func `two pages at once are refused, and the next is not`() async throws {
    backend.queue(.createAuthUri, .ok(Recorded.authorization), .ok(Recorded.authorization))
    let delegate = Answering { _ in .success("\(Recorded.handler)?code=c&state=the-state") }
    delegate.isHeld = true
    let scene = Scene(setup.auth, delegate)
    let first = Task { @MainActor in try await scene.getCredential() }
    while delegate.gate == nil { await Task.yield() }
    let error = await failure { _ = try await scene.getCredential() }
    #expect(error?.code == .webContextAlreadyPresented)
    delegate.gate?.resume()
    #expect(try await first.value == "microsoft.com")
    delegate.isHeld = false
    #expect(try await scene.getCredential() == "microsoft.com")
  }

  @Test func `a delegate's error comes through and ends the page`() async throws {
    backend.queue(.createAuthUri, .ok(Recorded.authorization), .ok(Recorded.authorization))
    let delegate = Answering { _ in .failure(AuthError(.webContextCancelled)) }
    for _ in 0..<2 {
      let error = await failure {
        _ = try await setup.auth.getCredential(
          try OAuthProvider("microsoft.com"), delegate: delegate)
      }
      #expect(error?.code == .webContextCancelled)
    }
  }

  @MainActor private final class Scene {
    let auth: Auth
    let delegate: Answering
    init(_ auth: Auth, _ delegate: Answering) {
      self.auth = auth
      self.delegate = delegate
    }
    func getCredential() async throws -> String {
      try await auth.getCredential(try OAuthProvider("microsoft.com"), delegate: delegate)
        .providerID
    }
  }
}
