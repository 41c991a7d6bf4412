import System
import HTTP
import IdentityToolkit

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
