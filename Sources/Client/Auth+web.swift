public import HTTP
import IdentityToolkit
import System

extension Auth {
  /// Shows an identity provider's sign-in page, and returns the resulting credential.
  ///
  /// The credential is not sent to the backend before `signIn`, so no account error can occur here.
  public func getCredential(
    _ provider: OAuthProvider, delegate: any AuthUIDelegate
  ) async throws(AuthError) -> Credential {
    guard !isPresenting else { throw AuthError(.webContextAlreadyPresented) }
    isPresenting = true
    defer { isPresenting = false }
    switch try await delegate.begin(provider.providerID) {
    case .credential(let get): return try await get()
    case .page(let presentation):
      let outcome: Result<Credential, AuthError>
      do throws(AuthError) {
        outcome = .success(try await credential(of: provider, presentation))
      } catch {
        outcome = .failure(error)
      }
      await presentation.end()
      return try outcome.get()
    }
  }

  /// Asks the backend for the account of a credential that was not used yet, and creates none.
  ///
  /// If the e-mail address belongs to an account with other providers, this throws the error that `signIn` would
  /// throw later. Otherwise it returns a credential that continues with the backend's response, as the original
  /// one is used up. The backend treats the request as a sign-in: a trusted provider takes over the account that
  /// has the address.
  public func raisingConflict(_ credential: Credential) async throws(AuthError) -> Credential {
    try credential.checkUsable(by: backend)
    let request = credential.identityProviderRequest(autoCreate: false)
    var response: JSONObject = [:]
    do {
      response = try await credential.send(request, over: backend, tenantID: tenantID)
    } catch {
      // A refusal without a body has no credential to continue with.
      guard error.code == .userNotFound else { throw error }
    }
    guard let checked = try SignInAnswer.credential(in: response, to: credential) else {
      throw AuthError(
        .internalError, "the backend returned no credential of \(credential.providerID)",
        hint: "leave raisesConflict out; auth:signIn raises the conflict as well")
    }
    return checked
  }

  private func credential(
    of provider: OAuthProvider, _ presentation: any SignInPresentation
  ) async throws(AuthError) -> Credential {
    let flow = try await beginSignIn(provider: provider, redirectURL: presentation.redirectURL)
    return try flow.finish(await presentation.present(flow.request))
  }

  /// Starts a sign-in at an identity provider; finish it with the final URL.
  ///
  /// A custom redirect URL must have an authorized domain, and be registered at the provider.
  func beginSignIn(
    provider: OAuthProvider, redirectURL: WebURL? = nil
  ) async throws(AuthError) -> SignInFlow {
    // RFC 6749 section 3.1.2 forbids a fragment.
    let chosen = redirectURL ?? target.redirectURL(customAuthDomain: customAuthDomain)
    guard let redirectURI = chosen?.with(fragment: nil) else {
      throw AuthError(
        .unauthorizedDomain, "the authentication domain is not a host name",
        hint: "set auth.customAuthDomain or the target's authDomain to a host name, without a path")
    }
    let answer: JSONObject
    do {
      answer = try await backend.call(
        .createAuthUri, request(for: provider, redirectURI), tenantID: tenantID)
    } catch {
      throw await backend.explain(
        refusal(error, of: provider, redirectURI).refusing(provider.providerID),
        needing: .identityProviders)
    }
    guard let url = answer["authUri"]?.string.flatMap({ WebURL($0) }) else {
      throw AuthError(
        .internalError, "the backend gave no authorization address for \(provider.providerID)",
        hint: "check the provider's configuration in the project, its issuer above all")
    }
    guard let sessionID = answer["sessionId"]?.string, !sessionID.isEmpty else {
      throw AuthError(
        .internalError, "the backend gave no session for the sign-in with \(provider.providerID)",
        hint: "check that the target is an Identity Toolkit backend")
    }
    return SignInFlow(
      request: SignInPageRequest(
        url: url, providerID: provider.providerID, redirectURI: redirectURI,
        loginHint: provider.customParameters["login_hint"], language: languageCode,
        isEmulated: target.isEmulated),
      sessionID: Secret(sessionID))
  }

  /// Adds a hint to an error; the backend refuses more parameters than its guides name.
  private func refusal(
    _ error: AuthError, of provider: OAuthProvider, _ redirectURI: WebURL
  ) -> AuthError {
    if error.code == .unauthorizedDomain {
      return error.hinting(
        "add \(redirectURI.host) to authorizedDomains in the project's configuration, and "
          + "\(redirectURI) to the redirect addresses at the provider")
    }
    guard error.serverName == "INVALID_ARGUMENT", error.message.contains("customParameter"),
      !provider.customParameters.isEmpty
    else { return error }
    let words = error.message.split(separator: "customParameter: ").last.map(String.init) ?? ""
    return AuthError(
      .invalidCustomParameter,
      "the backend refuses a parameter of \(provider.providerID): \(words)",
      hint: words.contains("tenant must be")
        ? "write provider.customParameters = { tenant = \"contoso.onmicrosoft.com\" }"
        : "correct or remove it in provider.customParameters", serverName: error.serverName)
  }

  private func request(for provider: OAuthProvider, _ redirectURI: WebURL) -> JSONObject {
    var body: JSONObject = [
      "providerId": .string(provider.providerID),
      "continueUri": .string(redirectURI.description),
    ]
    if provider.providerID.hasPrefix("saml.") { return body }
    var parameters = provider.customParameters
    if let languageCode, let name = LanguageParameter.name(for: provider.providerID) {
      parameters[name] = parameters[name] ?? languageCode
    }
    if !parameters.isEmpty {
      let sorted = parameters.sorted { $0.key < $1.key }
      body["customParameter"] = .object(JSONObject(sorted.map { ($0.key, .string($0.value)) }))
    }
    if !provider.scopes.isEmpty {
      // JSON in a string, by provider, scopes joined with commas: the format of the Web SDK.
      let scopes: JSON = [provider.providerID: .string(provider.scopes.joined(separator: ","))]
      body["oauthScope"] = .string(scopes.encoded())
    }
    return body
  }
}

/// Gets a credential from an identity provider, by its page or in another way.
public protocol AuthUIDelegate {
  /// Prepares for one sign-in at a provider.
  ///
  /// It is called for every sign-in, so one delegate may serve several at once.
  func begin(_ providerID: String) async throws(AuthError) -> SignInWay
}

/// How a delegate gets the credential of one sign-in.
public enum SignInWay {
  /// With the provider's page, at the authorization URL from the backend.
  case page(any SignInPresentation)
  /// Without that page, as on a device without a browser: the provider sends the tokens to luath, not to the backend.
  case credential(() async throws(AuthError) -> Credential)
}

/// The sign-in page of one sign-in.
public protocol SignInPresentation {
  /// The URL that the identity provider redirects to; nil for the project's own handler.
  ///
  /// A presentation that listens on this machine returns its own address.
  var redirectURL: WebURL? { get }

  /// Shows the page and returns its final URL.
  func present(_ request: SignInPageRequest) async throws(AuthError) -> PageAnswer

  /// Closes everything that `begin` and `present` opened, such as browsers and ports.
  ///
  /// Called exactly once in every case, even before anything was shown or when the task is cancelled. It must not
  /// wait for anything that a cancelled task cannot do.
  func end() async
}

extension SignInPresentation {
  /// The project's own handler.
  public var redirectURL: WebURL? { nil }

  /// Closes nothing.
  public func end() async {}
}

/// A delegate that needs no separate object per sign-in.
public protocol PageDelegate: AuthUIDelegate, SignInPresentation {}

extension PageDelegate {
  /// Returns itself for every sign-in.
  public func begin(_ providerID: String) async throws(AuthError) -> SignInWay { .page(self) }
}
