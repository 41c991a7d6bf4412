internal import Encoding
internal import HTTP

/// The parameters a browser came back with, wherever they stood.
struct LoopbackFields {
  private let fields: FormFields

  init(_ url: WebURL, postBody: String?) {
    var fields = url.fields
    for pair in url.fragmentFields.pairs { fields.append(pair.name, pair.value) }
    for pair in FormFields(parsing: postBody ?? "").pairs { fields.append(pair.name, pair.value) }
    self.fields = fields
  }

  /// Names of which an authorization response has at least one: RFC 6749 section 4.1.2, OpenID
  /// Connect Core section 3.2.2.5, RFC 5849 section 2.2, SAML bindings section 3.5.4.
  private static let results = [
    "code", "id_token", "access_token", "oauth_verifier", "SAMLResponse",
  ]
  private static let errors = ["error", "firebaseError"]

  /// Whether these are the parameters of an answer at all, and not those of the address itself.
  var isAnswer: Bool { (["state"] + Self.results + Self.errors).contains { fields[$0] != nil } }

  /// Whether the provider reports an error.
  var isRefusal: Bool { Self.errors.contains { fields[$0]?.isEmpty == false } }

  /// What is wrong for an answer of the sign-in with that state; nil when it is one.
  ///
  /// - Parameter needsResult: whether a code or a token must be there, which a sign-out has not.
  func problem(expecting state: String?, needsResult: Bool = true) -> String? {
    // RFC 6749 section 3.1: parameters must not be included more than once.
    for name in ["state", "iss"] + Self.results + Self.errors where fields.all(name).count > 1 {
      return "more than one \(name)"
    }
    if let state {
      guard let given = fields["state"] else {
        // Any page of this machine can say that somebody denied, so an error must prove itself too
        // (RFC 6749 section 4.1.2.1 has providers send the state along with it).
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

  /// Whether more at the end could make it the answer of the sign-in with that state.
  func mayGoOn(to state: String?) -> Bool {
    guard !isRefusal, fields.pairs.allSatisfy({ fields.all($0.name).count == 1 }) else {
      return false
    }
    guard let state, let given = fields["state"] else { return true }
    return constantTimeEqual(Array(given.utf8), Array(state.utf8.prefix(given.utf8.count)))
  }
}
