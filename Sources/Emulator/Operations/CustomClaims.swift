internal import Encoding
internal import IdentityToolkit

/// The limits of the claims an administrator adds to an account.
enum CustomClaims {
  /// Refuses a text that is too long, no JSON object, or uses a name of the token's own.
  static func check(_ text: String) throws(Refusal) {
    // JavaScript counts the length in UTF-16 units.
    guard text.utf16.count <= 1000 else { throw Refusal(.claimsTooLarge) }
    if text.isEmpty { return }
    guard let parsed = ScriptValue.parse(text), case .object(let object) = parsed else {
      throw Refusal(.invalidClaims)
    }
    try check(object)
  }

  static func check(_ claims: JSONObject) throws(Refusal) {
    for name in ReservedClaims.forbidden where claims[name] != nil {
      throw Refusal(.forbiddenClaim, name)
    }
  }
}
