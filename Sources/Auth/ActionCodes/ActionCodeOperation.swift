/// What the code of an e-mail does; the raw values are the Apple SDK's names.
public enum ActionCodeOperation: String, CaseIterable, Sendable {
  /// Something this version does not know.
  case unknown
  /// Sets a new password.
  case passwordReset
  /// Verifies the account's address.
  case verifyEmail
  /// Takes an address back that was changed.
  case recoverEmail
  /// Signs in.
  case emailLink
  /// Verifies a new address and changes to it.
  case verifyAndChangeEmail
  /// Takes a second factor away that was added.
  case revertSecondFactorAddition

  /// Reads either spelling: links say `resetPassword`, answers say `PASSWORD_RESET`.
  init(wire name: String) {
    self = Self.allCases.first { $0.mode == name || $0.requestType == name } ?? .unknown
  }

  /// The name in the `mode` of links.
  var mode: String {
    switch self {
    case .unknown: ""
    case .passwordReset: "resetPassword"
    case .verifyEmail: "verifyEmail"
    case .recoverEmail: "recoverEmail"
    case .emailLink: "signIn"
    case .verifyAndChangeEmail: "verifyAndChangeEmail"
    case .revertSecondFactorAddition: "revertSecondFactorAddition"
    }
  }

  /// The name in requests and answers.
  var requestType: String {
    switch self {
    case .unknown: ""
    case .passwordReset: "PASSWORD_RESET"
    case .verifyEmail: "VERIFY_EMAIL"
    case .recoverEmail: "RECOVER_EMAIL"
    case .emailLink: "EMAIL_SIGNIN"
    case .verifyAndChangeEmail: "VERIFY_AND_CHANGE_EMAIL"
    case .revertSecondFactorAddition: "REVERT_SECOND_FACTOR_ADDITION"
    }
  }
}
