import Encoding
import HTTP

/// What a provider sent the browser back with: in the query, in the fragment or in a posted body.
struct AuthorizationAnswer {
  private let fields: FormFields

  /// Reads an answer, which must have come to the address that was asked for.
  init(_ finalURL: String, postBody: Secret?, to redirectURI: WebURL) throws(OIDCError) {
    guard let url = WebURL(finalURL) else {
      throw OIDCError(
        .redirectMismatch, "the final address is not an absolute http or https address",
        hint: "pass the whole address the browser came back to")
    }
    var pairs = url.fields.pairs
    // The redirect address may have a query of its own, which must come back as it went.
    for own in redirectURI.fields.pairs {
      guard let place = pairs.firstIndex(where: { $0 == own }) else { throw .redirect(redirectURI) }
      pairs.remove(at: place)
    }
    guard url.origin == redirectURI.origin, url.path == redirectURI.path else {
      throw .redirect(redirectURI)
    }
    pairs += url.fragmentFields.pairs
    pairs += FormFields(parsing: postBody?.reveal() ?? "").pairs
    fields = FormFields(pairs.map { ($0.name, $0.value) })
    // RFC 6749 section 3.1: no parameter comes twice; which of two would count?
    for name in ["state", "iss", "code", "id_token", "error", "access_token"] {
      guard fields.all(name).count > 1 else { continue }
      throw OIDCError(
        .unexpectedAnswer, "the answer carries \(name) twice",
        hint: "pass the address as the browser came back to it; two values are one too many")
    }
  }

  /// A parameter that is there and not empty.
  subscript(name: String) -> String? {
    guard let value = fields[name], !value.isEmpty else { return nil }
    return value
  }

  /// The provider's error, if the answer reports one.
  var failure: OIDCError? {
    guard let error = self["error"] else { return nil }
    let name = isErrorName(error) ? error : "an error without a usable name"
    var message = "the provider ended the sign-in with \(name)"
    if let text = self["error_description"] {
      let secrets = ["state", "code", "id_token"].compactMap { self[$0] }.map { Secret($0) }
      message += " (\(harmless(text, without: secrets)))"
    }
    return OIDCError(
      name == "access_denied" ? .denied : .providerError, message, hint: Self.hint(for: name),
      providerError: isErrorName(error) ? error : nil)
  }

  /// RFC 6749 section 4.1.2.1 and OpenID Connect Core section 3.1.2.6 list these names.
  private static func hint(for name: String) -> String {
    switch name {
    case "access_denied": "agree to what the provider asks, or ask for fewer scopes"
    case "invalid_scope": "ask for scopes the provider knows and the client may have"
    case "login_required", "interaction_required", "consent_required",
      "account_selection_required":
      "leave prompt=none out, so that the page may ask"
    case "unauthorized_client", "invalid_client", "unsupported_response_type":
      "check the client identifier and the client's registration at the provider"
    case "temporarily_unavailable", "server_error": "wait a while and begin again"
    default: "check the request and the client's registration at the provider, then begin again"
    }
  }
}

extension OIDCError {
  fileprivate static func redirect(_ expected: WebURL) -> OIDCError {
    OIDCError(
      .redirectMismatch, "the browser did not come back to \(expected.origin)\(expected.path)",
      hint: "pass the address at which this sign-in ended, and register its redirect address")
  }
}
