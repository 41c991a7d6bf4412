internal import System
internal import IdentityToolkit

/// The limits of the claims an administrator adds to an account.
enum CustomClaimsLimits {
  /// Refuses a text that is too long, is not a JSON object, or uses a reserved name.
  static func check(_ text: String, _ rules: Rules) throws(Refusal) {
    // JavaScript counts the length in UTF-16 units.
    let count = rules[.googleAnswers] ? text.utf8.count : text.utf16.count
    guard count <= 1000 else { throw Refusal(.claimsTooLarge) }
    if text.isEmpty { return }
    guard let parsed = ScriptValue.parse(text) else {
      throw Refusal(.invalidClaims, rules[.googleAnswers] ? GsonFault.message(of: text) : nil)
    }
    guard case .object(let object) = parsed else {
      throw Refusal(.invalidClaims, rules[.googleAnswers] ? "Not a JSON Object: \(text)" : nil)
    }
    try check(object)
  }

  static func check(_ claims: JSONObject) throws(Refusal) {
    for name in ReservedClaims.forbidden where claims[name] != nil {
      throw Refusal(.forbiddenClaim, name)
    }
  }
}
