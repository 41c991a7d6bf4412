import System
import IdentityToolkit

/// The proof of a second factor, for enrolling it or for finishing a sign-in.
///
/// Printing it shows only the kind of factor.
public final class MultiFactorAssertion: Sendable {
  enum Content: Sendable {
    case phone(verificationID: Secret, code: Secret)
    /// An authenticator app that is being enrolled.
    case newApp(sessionInfo: Secret, code: Secret)
    /// An authenticator app that is enrolled.
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

  /// The fields that prove the factor to the backend.
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

  /// Adds a hint to an error about an app's code, since requesting another code does not apply here.
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
  /// The kind of factor, without the code.
  public var description: String { "\(factorID) assertion" }

  /// Shows no members.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
