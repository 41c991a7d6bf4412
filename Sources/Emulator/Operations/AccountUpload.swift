internal import IdentityToolkit
internal import OIDC

/// What holds for every row of an import.
struct AccountUpload {
  /// How the hashes were made, where they are verified.
  let hashing: PasswordHashing?
  /// Whether rows are compared with each other and with all accounts.
  let isSane: Bool
  /// Whether a row may take the place of an account.
  let overwrites: Bool

  /// What the answer says of a refused row: production has sentences for the refusals of claims.
  static func message(of refusal: Refusal) -> String {
    switch refusal.error {
    case .invalidClaims: "Invalid custom claims provided."
    case .claimsTooLarge: "Custom claims provided are too large."
    case .forbiddenClaim: "Custom claims provided include a reserved claim."
    default: refusal.message
    }
  }
}
