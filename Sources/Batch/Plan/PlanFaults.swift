import Admin
import Encoding
import IdentityToolkit
import Scripting

/// The words of what speaks against a row.
enum PlanFaults {
  /// Codes of faults in which two rows, or a row and the accounts, contradict each other.
  static let conflicts: Set<String> = [
    "duplicateKey", "identityClaimedTwice", "providerClaimedTwice", "emailClaimedTwice",
    "fieldClaimedTwice", "accountClaimed", "credentialAlreadyInUse", "providerAlreadyLinked",
    "emailAlreadyInUse", "uidAlreadyExists",
  ]

  /// Why accounts are not looked up by an address that several may have.
  static let oneOfSeveral = AdminError(
    .operationNotAllowed,
    "the project allows several accounts for one address, of which the backend names only one: plan "
      + "with --accounts EXPORT, or look up by uid or identity; where you know that each address has "
      + "one account, say oneAccountPerEmail = true in batch.define")

  static func missing(column: String) -> RowFault {
    RowFault("missingColumn", "the row has no column '\(brief(column))', which the script needs")
  }

  static func noAccount(_ uid: String) -> RowFault {
    RowFault("userNotFound", "there is no account \(brief(uid))")
  }

  static func owned(_ providerID: String, _ rawID: String, by uid: String) -> RowFault {
    RowFault(
      "credentialAlreadyInUse",
      "\(brief(rawID)) of \(brief(providerID)) is on the account \(brief(uid)) already")
  }

  static func occupied(_ providerID: String, of uid: String) -> RowFault {
    RowFault(
      "providerAlreadyLinked",
      "the account \(brief(uid)) has another identity of \(brief(providerID)); unlink it first")
  }

  static func shared(_ email: String, with uid: String) -> RowFault {
    RowFault(
      "emailAlreadyInUse", "the account \(brief(uid)) has the address \(brief(email)) already")
  }

  static func existing(_ uid: String) -> RowFault {
    RowFault("uidAlreadyExists", "there is an account \(brief(uid)) already")
  }

  /// As much of a text as a message quotes, on one line.
  static func brief(_ text: String) -> String {
    let shown = text.printable
    return shown.count <= 128 ? shown : "\(shown.prefix(128))…"
  }
}
