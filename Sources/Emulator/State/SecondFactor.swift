internal import Encoding

/// A second factor of an account: a phone number, or an authenticator app.
struct SecondFactor: Sendable {
  let id: String
  var displayName: String?
  /// When it was added, as RFC 3339 writes it.
  var enrolledAt: String?
  var phoneNumber: String?
  /// The shared secret of an authenticator app.
  var totpSecret: Secret?
  /// The last time step whose code was used (RFC 6238 section 5.2: each works once).
  var lastTOTPStep: Int64?

  /// The entry of `mfaInfo` as administrators and the person see it.
  var wire: JSON {
    var entry = JSONObject()
    entry.set("displayName", displayName)
    entry.set("enrolledAt", enrolledAt)
    entry["mfaEnrollmentId"] = .string(id)
    if let phoneNumber {
      entry["phoneInfo"] = .string(phoneNumber)
      entry["unobfuscatedPhoneInfo"] = .string(phoneNumber)
    }
    if totpSecret != nil { entry["totpInfo"] = [:] }
    return .object(entry)
  }
}
