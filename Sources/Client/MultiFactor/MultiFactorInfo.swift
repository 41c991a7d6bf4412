import System

/// A second factor of an account: a phone or an authenticator app.
public struct MultiFactorInfo: Sendable, Equatable {
  /// Its id, for using and withdrawing it.
  public let uid: String

  /// The name that the user gave it.
  public let displayName: String?

  /// When it was enrolled, in milliseconds since 1970.
  public let enrollmentDate: Int64?

  /// `phone` or `totp`; `email` or `unknown` for other kinds.
  public let factorID: String

  /// The phone number; until the sign-in is complete, only its last digits are shown.
  public let phoneNumber: String?

  /// Reads a member of `mfaInfo`; nil without an id, which would make it unusable.
  init?(_ json: JSON) {
    guard let uid = json["mfaEnrollmentId"]?.string, !uid.isEmpty else { return nil }
    self.uid = uid
    displayName = json["displayName"]?.string
    enrollmentDate = json["enrolledAt"]?.string.flatMap(Timestamp.milliseconds)
    phoneNumber = json["phoneInfo"]?.string
    if phoneNumber != nil {
      factorID = PhoneMultiFactorGenerator.factorID
    } else if json["totpInfo"] != nil {
      factorID = TOTPMultiFactorGenerator.factorID
    } else {
      factorID = json["emailInfo"] == nil ? "unknown" : "email"
    }
  }
}
