import Client
import System
import IdentityToolkit
import Host

/// The error messages of refused rows.
enum PlanFaults {
  /// Codes of errors that are conflicts between two rows, or between a row and the existing accounts.
  static let conflicts: Set<String> = [
    "duplicateKey", "identityClaimedTwice", "providerClaimedTwice", "emailClaimedTwice",
    "fieldClaimedTwice", "accountClaimed", "credentialAlreadyInUse", "providerAlreadyLinked",
    "emailAlreadyInUse", "uidAlreadyExists",
  ]

  /// Why a lookup by an e-mail address that several accounts may share is rejected.
  static let oneOfSeveral = AdminError(
    .operationNotAllowed,
    "the project allows several accounts for one address, of which the backend names only one: plan "
      + "with --accounts EXPORT, or look up by uid or identity; where you know that each address has "
      + "one account, say oneAccountPerEmail = true in batch.define")

  static func missing(column: String) -> RowFailure {
    RowFailure("missingColumn", "the row has no column '\(brief(column))', which the script needs")
  }

  static func noAccount(_ uid: String) -> RowFailure {
    RowFailure("userNotFound", "there is no account \(brief(uid))")
  }

  static func owned(_ providerID: String, _ rawID: String, by uid: String) -> RowFailure {
    RowFailure(
      "credentialAlreadyInUse",
      "\(brief(rawID)) of \(brief(providerID)) is on the account \(brief(uid)) already")
  }

  static func occupied(_ providerID: String, of uid: String) -> RowFailure {
    RowFailure(
      "providerAlreadyLinked",
      "the account \(brief(uid)) has another identity of \(brief(providerID)); unlink it first")
  }

  static func shared(_ email: String, with uid: String) -> RowFailure {
    RowFailure(
      "emailAlreadyInUse", "the account \(brief(uid)) has the address \(brief(email)) already")
  }

  static func existing(_ uid: String) -> RowFailure {
    RowFailure("uidAlreadyExists", "there is an account \(brief(uid)) already")
  }

  /// The text as messages quote it: on one line, at most 128 characters.
  static func brief(_ text: String) -> String {
    let shown = text.printable
    return shown.count <= 128 ? shown : "\(shown.prefix(128))…"
  }
}
