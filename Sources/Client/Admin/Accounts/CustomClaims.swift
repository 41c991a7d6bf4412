import System
import IdentityToolkit

enum CustomClaims {
  /// The maximum size of the claims as JSON, in bytes.
  static let mostBytes = 1000

  /// Claim names that are reserved for the token itself.
  static let reserved: Set<String> = [
    "acr", "amr", "at_hash", "aud", "auth_time", "azp", "c_hash", "cnf", "exp", "firebase", "iat",
    "iss", "jti", "nbf", "nonce", "sub",
  ]

  /// Returns the claims as the text that accounts store; false clears them.
  static func text(_ json: JSON) throws(AdminError) -> String {
    if case .bool(false) = json { return "{}" }
    let claims = try checked(json)
    let text = JSON.object(claims).encoded()
    guard text.utf8.count <= mostBytes else {
      throw AdminError(
        .invalidClaims,
        "the claims take up \(text.utf8.count) bytes as JSON, and \(mostBytes) are allowed",
        hint: "keep the rest where your server looks it up by uid")
    }
    return text
  }

  /// Returns the claims; throws when one has a reserved name.
  static func checked(_ json: JSON) throws(AdminError) -> JSONObject {
    guard let claims = json.object else {
      throw AdminError(.invalidClaims, "claims have names, and these are no table of them")
    }
    let taken = claims.keys.filter(reserved.contains)
    guard taken.isEmpty else {
      throw AdminError(
        .invalidClaims, "these claims are the token's own: \(taken.joined(separator: ", "))",
        hint: "choose other names")
    }
    return claims
  }
}
