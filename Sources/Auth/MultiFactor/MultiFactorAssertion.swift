import Encoding
import IdentityToolkit

/// The proof that a person has a second factor, for enrolling it or for finishing a sign-in.
///
/// Printing it shows only which kind of factor it is of.
public final class MultiFactorAssertion: Sendable {
  enum Content: Sendable {
    case phone(verificationID: Secret, code: Secret)
    /// An authenticator app that is being added.
    case newApp(sessionInfo: Secret, code: Secret)
    /// An authenticator app the account has.
    case app(factorUID: String, code: Secret)
  }

  let content: Content

  init(_ content: Content) { self.content = content }

  /// The kind of factor: `phone` or `totp`.
  public var factorID: String {
    switch content {
    case .phone: PhoneMultiFactorGenerator.factorID
    case .newApp, .app: TOTPMultiFactorGenerator.factorID
    }
  }

  /// The members that prove the factor to the backend.
  var proof: JSONObject {
    switch content {
    case .phone(let verificationID, let code):
      [
        "phoneVerificationInfo": [
          "sessionInfo": .string(verificationID.reveal()), "code": .string(code.reveal()),
        ]
      ]
    case .newApp(let sessionInfo, let code):
      [
        "totpVerificationInfo": [
          "sessionInfo": .string(sessionInfo.reveal()), "verificationCode": .string(code.reveal()),
        ]
      ]
    case .app(let factorUID, let code):
      [
        "mfaEnrollmentId": .string(factorUID),
        "totpVerificationInfo": ["verificationCode": .string(code.reveal())],
      ]
    }
  }

  /// Says in a refusal of an app's code what to do about it, since no message can be asked for.
  func advising(_ error: AuthError) -> AuthError {
    guard factorID == TOTPMultiFactorGenerator.factorID else { return error }
    switch error.code {
    case .invalidVerificationCode:
      return error.hinting(
        "pass the code of this moment, which totp.code(secret) gives; each code works once, and "
          + "the one that enrolled the app does not sign in")
    case .invalidVerificationID, .sessionExpired:
      return error.hinting(
        "begin again with TOTPMultiFactorGenerator.generateSecret(session): this secret is "
          + "another user's, or was not enrolled in time")
    case .invalidArgument:
      return error.hinting(
        "give the app a name: user.multiFactor:enroll(assertion, \"my app\")")
    default: return error
    }
  }
}

extension MultiFactorAssertion: CustomStringConvertible, CustomReflectable {
  /// The kind of factor, and nothing of the code.
  public var description: String { "\(factorID) assertion" }

  /// Shows no members.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
