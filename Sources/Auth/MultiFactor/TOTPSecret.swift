public import Encoding
import IdentityToolkit

/// A secret to share with an authenticator app, and what codes are to be made of it.
///
/// Printing it shows nothing of the secret.
public final class TOTPSecret {
  /// The secret in base 32, as apps take it.
  public let sharedSecretKey: Secret

  /// The hash function the codes are made with, such as `SHA1`.
  public let hashingAlgorithm: String

  /// How many digits a code has.
  public let digits: Int64

  /// How many seconds a code lasts.
  public let period: Int64

  /// Until when the app must be enrolled, in milliseconds since 1970.
  public let enrollmentDeadline: Int64?

  let sessionInfo: Secret
  private let email: String?
  private let projectID: String

  /// Reads a `totpSessionInfo`; nil when it holds no secret or no session.
  init?(_ info: JSONObject, of user: User) {
    guard let key = info["sharedSecretKey"]?.string, !key.isEmpty,
      let sessionInfo = info["sessionInfo"]?.string, !sessionInfo.isEmpty
    else { return nil }
    sharedSecretKey = Secret(key)
    self.sessionInfo = Secret(sessionInfo)
    hashingAlgorithm = info["hashingAlgorithm"]?.string ?? "SHA1"
    // What apps assume where nobody says otherwise.
    digits = info["verificationCodeLength"]?.wholeNumber ?? 6
    period = info["periodSec"]?.wholeNumber ?? 30
    enrollmentDeadline = info["finalizeEnrollmentTime"]?.string.flatMap(Timestamp.milliseconds)
    email = user.email
    projectID = user.backend.client.target.projectID
  }

  /// The address that authenticator apps read from a QR code; the secret is in it.
  ///
  /// Without names it is for the user's e-mail address, issued by the project.
  public func generateQRCodeURL(accountName: String? = nil, issuer: String? = nil) -> Secret {
    let account = PercentEncoding.encode(accountName.nonEmpty ?? email.nonEmpty ?? "user")
    let issuer = PercentEncoding.encode(issuer.nonEmpty ?? projectID)
    return Secret(
      "otpauth://totp/\(issuer):\(account)?secret=\(sharedSecretKey.reveal())&issuer=\(issuer)"
        + "&algorithm=\(PercentEncoding.encode(hashingAlgorithm))&digits=\(digits)"
        // The SDKs leave it out, and then apps assume 30 seconds.
        + (period == 30 ? "" : "&period=\(period)"))
  }
}

extension Optional where Wrapped == String {
  /// Nil for an empty text as well.
  fileprivate var nonEmpty: String? { self.flatMap { $0.isEmpty ? nil : $0 } }
}

extension TOTPSecret: CustomStringConvertible, CustomReflectable {
  /// What codes it is for.
  public var description: String { "\(digits)-digit \(hashingAlgorithm) secret" }

  /// Shows no members.
  public var customMirror: Mirror { Mirror(self, children: []) }
}
