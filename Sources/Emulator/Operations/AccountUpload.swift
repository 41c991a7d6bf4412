internal import IdentityToolkit
internal import OIDC

/// The settings of an import that hold for all rows.
struct AccountUpload {
  /// How the hashes were made; nil if nothing verifies them.
  let hashing: PasswordHashing?
  /// Whether rows are compared with each other and with all accounts.
  let isSane: Bool
  let overwrites: Bool

  /// The message for a refused row: Google's servers have sentences for refused claims.
  static func message(of refusal: Refusal) -> String {
    switch refusal.error {
    case .invalidClaims: "Invalid custom claims provided."
    case .claimsTooLarge: "Custom claims provided are too large."
    case .forbiddenClaim: "Custom claims provided include a reserved claim."
    default: refusal.message
    }
  }
}
