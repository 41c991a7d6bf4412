internal import System
internal import HTTP

/// The parameters of a redirect, from query, fragment and body.
struct LoopbackFields {
  private let fields: FormFields

  init(_ url: WebURL, postBody: String?) {
    var fields = url.fields
    for pair in url.fragmentFields.pairs { fields.append(pair.name, pair.value) }
    for pair in FormFields(parsing: postBody ?? "").pairs { fields.append(pair.name, pair.value) }
    self.fields = fields
  }

  /// An authorization response has at least one of these.
  ///
  /// See RFC 6749 section 4.1.2, OpenID Connect Core section 3.2.2.5, RFC 5849 section 2.2, SAML
  /// bindings section 3.5.4.
  private static let results = [
    "code", "id_token", "access_token", "oauth_verifier", "SAMLResponse",
  ]
  private static let errors = ["error", "firebaseError"]

  /// Whether these are parameters of a response, not just those of the redirect address.
  var isAnswer: Bool { (["state"] + Self.results + Self.errors).contains { fields[$0] != nil } }

  /// Whether the response is an error.
  var isRefusal: Bool { Self.errors.contains { fields[$0]?.isEmpty == false } }

  /// Returns what is wrong with the response; nil when it is valid.
  ///
  /// - Parameter needsResult: whether a code or token is required, as opposed to a sign-out.
  func problem(expecting state: String?, needsResult: Bool = true) -> String? {
    // RFC 6749 section 3.1: parameters must not be included more than once.
    for name in ["state", "iss"] + Self.results + Self.errors where fields.all(name).count > 1 {
      return "more than one \(name)"
    }
    if let state {
      guard let given = fields["state"] else {
        // Any page on this machine could send an error, so errors need the state as well (RFC 6749
        // section 4.1.2.1 requires providers to return it).
        return isRefusal ? "an error, but no state that makes it this sign-in's" : "no state"
      }
      guard constantTimeEqual(given, state) else {
        return "a state that is not the one of this sign-in"
      }
    }
    guard
      !needsResult || isRefusal || Self.results.contains(where: { fields[$0]?.isEmpty == false })
    else {
      return "neither a code nor an ID token"
    }
    return nil
  }

  /// Whether more text at the end could complete a pasted response.
  func mayGoOn(to state: String?) -> Bool {
    guard !isRefusal, fields.pairs.allSatisfy({ fields.all($0.name).count == 1 }) else {
      return false
    }
    guard let state, let given = fields["state"] else { return true }
    return constantTimeEqual(Array(given.utf8), Array(state.utf8.prefix(given.utf8.count)))
  }
}
