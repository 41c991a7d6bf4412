public import HTTP
import IdentityToolkit
public import System

/// One sign-in at an identity provider, from the page to open to its final URL.
final class SignInFlow {
  /// The page to open.
  let request: SignInPageRequest

  private let sessionID: Secret
  private var isFinished = false

  init(request: SignInPageRequest, sessionID: Secret) {
    self.request = request
    self.sessionID = sessionID
  }

  /// Creates a credential from the final URL of the page.
  ///
  /// Origin, path and state must match this sign-in, so that a response to another sign-in cannot be injected (RFC
  /// 6749 section 10.12).
  func finish(_ ending: PageAnswer) throws(AuthError) -> Credential {
    guard !isFinished else {
      throw AuthError(
        .webStateMismatch, "this sign-in with \(request.providerID) is finished already",
        hint: "start another one with provider:getCredential()")
    }
    guard let url = WebURL(ending.finalURL) else {
      throw AuthError(
        .webStateMismatch, "the final address is not an absolute http or https address")
    }
    let expected = request.redirectURI
    guard url.origin == expected.origin, url.path == expected.path else {
      throw AuthError(
        .webStateMismatch,
        "the page ended at \(url.origin)\(Redaction().clean(url.path)) and not at "
          + "\(expected.origin)\(expected.path)")
    }
    let answer = RedirectAnswer(url, postBody: ending.postBody)
    if let name = answer.doubled {
      throw AuthError(
        .webStateMismatch, "the final address carries \(name) twice",
        hint: "return the last address of the browser, unchanged")
    }
    let failure = answer.failure(of: request.providerID)
    try checkState(answer, mayMiss: failure != nil)
    isFinished = true
    if let failure { throw failure }
    guard answer.hasResult else {
      throw AuthError(
        .webStateMismatch, "the final address carries neither a code nor an ID token",
        hint: "return the address with its whole query and fragment, or the body that was posted")
    }
    return Credential(
      providerID: request.providerID,
      content: .redirect(
        requestURI: Secret(url.description), sessionID: sessionID, postBody: ending.postBody))
  }

  /// Checks the state; providers may omit it in an error that occurs before they read the request.
  private func checkState(_ answer: RedirectAnswer, mayMiss: Bool) throws(AuthError) {
    guard let expected = request.url.fields["state"] else { return }
    guard let state = answer["state"] else {
      if mayMiss { return }
      throw AuthError(.webStateMismatch, "the final address carries no state")
    }
    guard constantTimeEqual(state, expected) else {
      throw AuthError(
        .webStateMismatch, "the state in the final address is not the one of this sign-in")
    }
  }
}

/// The page that a delegate shows.
public struct SignInPageRequest: Sendable {
  /// The URL to open; its query has the state of this sign-in.
  public let url: WebURL

  /// The provider of the page.
  public let providerID: String

  /// The redirect URL without query, where the sign-in ends.
  public let redirectURI: WebURL

  /// The user who will probably sign in.
  public let loginHint: String?

  /// The language for the page, such as `fr`; nil leaves it to the provider.
  public let language: String?

  /// Whether the backend is an emulator.
  public let isEmulated: Bool

  /// A page to show.
  public init(
    url: WebURL, providerID: String, redirectURI: WebURL, loginHint: String? = nil,
    language: String? = nil, isEmulated: Bool
  ) {
    self.url = url
    self.providerID = providerID
    self.redirectURI = redirectURI
    self.loginHint = loginHint
    self.language = language
    self.isEmulated = isEmulated
  }
}

extension SignInPageRequest: CustomStringConvertible {
  /// The provider and the page's origin.
  public var description: String { "sign-in page of \(providerID) at \(url.origin)" }
}

/// The parameter for the language of a provider's page.
enum LanguageParameter {
  /// The parameter's name; nil for providers that document none and use the browser's language.
  static func name(for providerID: String) -> String? {
    switch providerID {
    case "google.com": "hl"
    case "facebook.com", "apple.com": "locale"
    case "twitter.com": "lang"
    case "yahoo.com": "language"
    // OpenID Connect Core section 3.1.2.1.
    default: providerID.hasPrefix("oidc.") ? "ui_locales" : nil
    }
  }
}

/// The parameters that an identity provider added to the redirect URL, or posted to it.
struct RedirectAnswer {
  private let query: FormFields
  private let fragment: FormFields
  private let posted: FormFields

  init(_ url: WebURL, postBody: Secret?) {
    query = url.fields
    fragment = url.fragmentFields
    posted = FormFields(parsing: postBody?.reveal() ?? "")
  }

  /// A parameter of the query, of the fragment (in implicit flows), or of the posted body.
  subscript(name: String) -> String? { query[name] ?? fragment[name] ?? posted[name] }

  /// The first parameter that occurs more than once, which RFC 6749 section 3.1 forbids.
  ///
  /// Two readers could use different values.
  var doubled: String? {
    ["state", "iss", "code", "id_token", "access_token", "error", "oauth_verifier", "SAMLResponse"]
      .first { name in
        [query, fragment, posted].reduce(0) { $0 + $1.all(name).count } > 1
      }
  }

  /// Whether there is a parameter that the backend can use for a sign-in.
  var hasResult: Bool {
    ["code", "id_token", "access_token", "oauth_verifier", "SAMLResponse"].contains {
      self[$0]?.isEmpty == false
    }
  }

  /// The provider's error, if there is one.
  func failure(of providerID: String) -> AuthError? {
    let redaction = Redaction(
      secrets: ["state", "code", "id_token", "access_token"].compactMap { self[$0] })
    if let json = self["firebaseError"] {
      return handlerFailure((try? JSON.parse(json)) ?? [:], redaction)
    }
    guard let error = self["error"], !error.isEmpty else { return nil }
    let name = redaction.clean(error)
    var details: JSONObject = ["error": .string(name)]
    var message = "\(providerID) ended the sign-in with \(name)"
    if let description = self["error_description"], !description.isEmpty {
      let words = redaction.clean(description)
      message += ": \(words)"
      details["error_description"] = .string(words)
    }
    return AuthError(
      name == "access_denied" ? .webConsentDenied : .webSignInUserInteractionFailure, message,
      hint: Self.hint(for: name), serverName: name, details: .object(details))
  }

  /// The error of the handler page, which reports its failures as JSON with the Web SDK's codes.
  private func handlerFailure(_ json: JSON, _ redaction: Redaction) -> AuthError {
    let name = redaction.clean(json["code"]?.string ?? "")
    let code: ErrorCode =
      switch name {
      case "auth/invalid-oauth-client-id": .invalidClientID
      case "auth/network-request-failed": .webNetworkRequestFailed
      case "auth/internal-error": .webInternalError
      default: .webSignInUserInteractionFailure
      }
    var message = code.summary
    if let words = json["message"]?.string, !words.isEmpty {
      message += ": \(redaction.clean(words))"
    }
    return AuthError(code, message, serverName: name.isEmpty ? nil : name)
  }

  /// A hint for an error name of RFC 6749 section 4.1.2.1 or OpenID Connect Core section 3.1.2.6.
  private static func hint(for error: String) -> String {
    switch error {
    case "access_denied": ErrorCode.webConsentDenied.hint
    case "invalid_scope":
      "make provider.scopes match the permissions the application has at the provider exactly"
    case "login_required", "interaction_required", "consent_required",
      "account_selection_required":
      "leave prompt=none out of provider.customParameters, so that the page may ask"
    case "unauthorized_client", "invalid_client":
      "check the client identifier and the application's registration at the provider"
    case "temporarily_unavailable", "server_error":
      "wait a while and call provider:getCredential again"
    default: ErrorCode.webSignInUserInteractionFailure.hint
    }
  }
}

/// The end of a sign-in page.
public struct PageAnswer: Sendable {
  /// The URL that the provider redirected to, with query and fragment.
  public let finalURL: String

  /// The body, if the browser posted it (OAuth 2.0 Form Post Response Mode).
  public let postBody: Secret?

  /// The final URL, and the body if the browser posted one.
  public init(finalURL: String, postBody: Secret? = nil) {
    self.finalURL = finalURL
    self.postBody = postBody
  }

  /// The final URL; posted fields become its fragment.
  ///
  /// Code that finishes its own flow then needs only one string.
  public var address: String {
    guard let postBody, let url = WebURL(finalURL) else { return finalURL }
    return url.with(fragment: postBody.reveal()).description
  }
}
