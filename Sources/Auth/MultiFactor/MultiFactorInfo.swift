import Encoding

/// A second factor of an account: a telephone or an authenticator app.
public struct MultiFactorInfo: Sendable, Equatable {
  /// Its identifier, by which it is used and withdrawn.
  public let uid: String

  /// What its owner calls it.
  public let displayName: String?

  /// When it was enrolled, in milliseconds since 1970.
  public let enrollmentDate: Int64?

  /// The kind of factor: `phone` or `totp`, or the backend's own name for a kind not known here.
  public let factorID: String

  /// The telephone's number; all but its last digits are hidden until the sign-in is complete.
  public let phoneNumber: String?

  /// Reads a member of `mfaInfo`; nil for one without an identifier, which nobody could use.
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
