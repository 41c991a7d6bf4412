/// Claim names that belong to the token itself.
enum ReservedClaims {
  /// Names a custom token or custom attributes may not use.
  static let forbidden = [
    "iss", "aud", "sub", "iat", "exp", "nbf", "jti", "nonce", "azp", "acr", "amr", "cnf",
    "auth_time", "firebase", "at_hash", "c_hash",
  ]

  /// Names of claims that only the account's own fields set.
  static let ofTheAccountAlone = ["email", "email_verified", "phone_number", "provider_id"]

  /// Names of claims about the account, which never come from the session.
  static let ofTheAccount = ofTheAccountAlone + ["name", "picture", "user_id"]
}
