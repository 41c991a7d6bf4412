internal import System
internal import OIDC

/// A second factor of an account: a phone number, or an authenticator app.
struct SecondFactor: Sendable {
  /// The maximum number per account, where the rules limit it.
  static let limit = 5

  let id: String
  var displayName: String?
  /// When the factor was added, in the form of RFC 3339.
  var enrolledAt: String?
  var phoneNumber: String?
  /// The shared secret of an authenticator app, in base32.
  var totpSecret: Secret?
  /// The last time step whose code was used (RFC 6238 section 5.2: each works once).
  var lastTOTPStep: Int64?

  /// The entry of `mfaInfo` as administrators and the account's user see it.
  func wire(_ rules: Rules) -> JSON {
    var entry = JSONObject()
    entry.set("displayName", displayName)
    entry.set("enrolledAt", enrolledAt)
    entry["mfaEnrollmentId"] = .string(id)
    if let phoneNumber {
      entry["phoneInfo"] = .string(phoneNumber)
      if !rules[.googleAnswers] { entry["unobfuscatedPhoneInfo"] = .string(phoneNumber) }
    }
    if totpSecret != nil { entry["totpInfo"] = [:] }
    return .object(entry)
  }

  func hasID(_ other: String?) -> Bool {
    sameText(other, id)
  }

  /// `phone` or `totp`, as tokens name it.
  var provider: String { totpSecret == nil ? "phone" : "totp" }

  /// The factor as the tokens of a sign-in name it.
  var used: SignInSession.UsedFactor { SignInSession.UsedFactor(id: id, provider: provider) }

  /// Generates the codes of the authenticator app; nil for a phone.
  var totp: TOTP? {
    totpSecret.flatMap { Base32.decode($0.reveal()) }.map { TOTP(secret: SecretBytes($0)) }
  }

  /// The entry of `mfaInfo` that a client gets after the first factor only.
  var masked: JSON {
    var entry = JSONObject()
    entry.set("displayName", displayName)
    entry.set("enrolledAt", enrolledAt)
    entry["mfaEnrollmentId"] = .string(id)
    entry.set("phoneInfo", maskedNumber)
    if totpSecret != nil { entry["totpInfo"] = [:] }
    return .object(entry)
  }

  var maskedNumber: String? { phoneNumber.map(Self.masked) }

  /// Replaces all digits but the last four with `*`; other characters stay.
  private static func masked(_ number: String) -> String {
    var shown = 4
    var signs: [Unicode.Scalar] = []
    for sign in number.unicodeScalars.reversed() {
      guard ("0"..."9").contains(sign) else {
        signs.append(sign)
        continue
      }
      signs.append(shown > 0 ? sign : "*")
      shown -= 1
    }
    return String(String.UnicodeScalarView(signs.reversed()))
  }
}

extension SecondFactor: Recorded {
  var record: JSONObject {
    var record: JSONObject = ["id": .string(id)]
    record.set("displayName", displayName)
    record.set("enrolledAt", enrolledAt)
    record.set("phoneNumber", phoneNumber)
    record.set("totpSecret", totpSecret?.reveal())
    record.set("lastTotpStep", lastTOTPStep)
    return record
  }

  init?(record: JSONObject) {
    guard let id = record["id"]?.string else { return nil }
    self.init(
      id: id, displayName: record["displayName"]?.string, enrolledAt: record["enrolledAt"]?.string,
      phoneNumber: record["phoneNumber"]?.string,
      totpSecret: record["totpSecret"]?.string.map { Secret($0) },
      lastTOTPStep: record["lastTotpStep"]?.integer)
  }
}
