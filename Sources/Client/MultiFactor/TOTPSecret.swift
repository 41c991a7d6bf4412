public import System
import IdentityToolkit

/// A secret for an authenticator app, and the parameters of its codes.
///
/// Printing it does not show the secret.
public final class TOTPSecret {
  /// The secret in base 32, the format of authenticator apps.
  public let sharedSecretKey: Secret

  /// The hash function for the codes, such as `SHA1`.
  public let hashingAlgorithm: String

  /// The number of digits of a code.
  public let digits: Int64

  /// The validity of a code, in seconds.
  public let period: Int64

  /// The deadline of the enrollment, in milliseconds since 1970.
  public let enrollmentDeadline: Int64?

  let sessionInfo: Secret
  private let email: String?
  private let projectID: String

  /// Reads a `totpSessionInfo`; nil when it lacks the secret or the session.
  init?(_ info: JSONObject, of user: User) {
    guard let key = info["sharedSecretKey"]?.string, !key.isEmpty,
      let sessionInfo = info["sessionInfo"]?.string, !sessionInfo.isEmpty
    else { return nil }
    sharedSecretKey = Secret(key)
    self.sessionInfo = Secret(sessionInfo)
    hashingAlgorithm = info["hashingAlgorithm"]?.string ?? "SHA1"
    // The defaults of authenticator apps.
    digits = info["verificationCodeLength"]?.wholeNumber ?? 6
    period = info["periodSec"]?.wholeNumber ?? 30
    enrollmentDeadline = info["finalizeEnrollmentTime"]?.string.flatMap(Timestamp.milliseconds)
    email = user.email
    projectID = user.backend.client.target.projectID
  }

  /// The URL for a QR code, which contains the secret.
  ///
  /// The default account name is the user's e-mail address, the default issuer the project id.
  public func generateQRCodeURL(accountName: String? = nil, issuer: String? = nil) -> Secret {
    let account = PercentEncoding.encode(accountName.nonEmpty ?? email.nonEmpty ?? "user")
    let issuer = PercentEncoding.encode(issuer.nonEmpty ?? projectID)
    return Secret(
      "otpauth://totp/\(issuer):\(account)?secret=\(sharedSecretKey.reveal())&issuer=\(issuer)"
        + "&algorithm=\(PercentEncoding.encode(hashingAlgorithm))&digits=\(digits)"
        // The SDKs omit the period, and apps then use 30 seconds.
        + (period == 30 ? "" : "&period=\(period)"))
  }
}

extension Optional where Wrapped == String {
  /// Nil for an empty string too.
  fileprivate var nonEmpty: String? { self.flatMap { $0.isEmpty ? nil : $0 } }
}

extension TOTPSecret: CustomStringConvertible, CustomReflectable {
  /// The number of digits and the hash function.
  public var description: String { "\(digits)-digit \(hashingAlgorithm) secret" }

  /// Shows no members.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
