/// The operation of an e-mailed code; the raw values are the Apple SDK's names.
public enum ActionCodeOperation: String, CaseIterable, Sendable {
  /// An operation that this version does not know.
  case unknown
  case passwordReset
  /// Verifies the account's e-mail address.
  case verifyEmail
  /// Restores the previous e-mail address.
  case recoverEmail
  case emailLink
  /// Verifies a new e-mail address and changes to it.
  case verifyAndChangeEmail
  /// Removes a second factor that was added.
  case revertSecondFactorAddition

  /// Reads both forms of the name: `resetPassword` in links, `PASSWORD_RESET` in responses.
  init(wire name: String) {
    self = Self.allCases.first { $0.mode == name || $0.requestType == name } ?? .unknown
  }

  /// The name for `mode` in links.
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

  /// The name in requests and responses.
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
