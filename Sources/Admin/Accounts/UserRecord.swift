public import Encoding
import IdentityToolkit

/// An account as the backend tells it to an administrator.
public struct UserRecord: Sendable {
  /// One way to sign in.
  public struct ProviderInfo: Sendable {
    /// The provider's id, such as `google.com`, `password` or `phone`.
    public let providerID: String
    /// The person's id at the provider.
    public let uid: String
    /// The name there.
    public let displayName: String?
    /// The e-mail address there.
    public let email: String?
    /// The picture's address there.
    public let photoURL: String?
    /// The phone number, for `phone`.
    public let phoneNumber: String?
  }

  /// One second factor.
  public struct Factor: Sendable {
    /// Its id.
    public let uid: String
    /// `phone`, or `totp` for an authenticator app.
    public let factorID: String
    /// The name its owner gave it.
    public let displayName: String?
    /// The phone number that codes are sent to.
    public let phoneNumber: String?
    /// When it was enrolled, as the backend writes it: `2026-01-31T12:00:00Z`.
    public let enrollmentTime: String?
  }

  /// The account's id.
  public let uid: String
  /// The e-mail address.
  public let email: String?
  /// Whether the address was verified.
  public let isEmailVerified: Bool
  /// The name.
  public let displayName: String?
  /// The picture's address.
  public let photoURL: String?
  /// The phone number.
  public let phoneNumber: String?
  /// Whether an administrator has disabled the account.
  public let isDisabled: Bool
  /// When the account was made, in milliseconds since 1970.
  public let creationTime: Int64?
  /// When somebody last signed in, in milliseconds since 1970.
  public let lastSignInTime: Int64?
  /// When the tokens were last renewed, as the backend writes it.
  public let lastRefreshTime: String?
  /// The claims an administrator has added to the tokens.
  public let customClaims: JSONObject?
  /// The tenant the account belongs to.
  public let tenantID: String?
  /// The ways to sign in.
  public let providerData: [ProviderInfo]
  /// The second factors.
  public let enrolledFactors: [Factor]
  /// Tokens issued before this are not valid, in milliseconds since 1970.
  public let tokensValidAfterTime: Int64?
  /// The hash of the password, in base 64; only who may see it gets it.
  public let passwordHash: Secret?
  /// The salt of that hash, in base 64.
  public let passwordSalt: Secret?

  /// Reads an account of a lookup's answer.
  init(_ user: JSON) throws(AdminError) {
    func text(_ name: String) -> String? {
      user[name]?.string.flatMap { $0.isEmpty ? nil : $0 }
    }
    guard let uid = text("localId") else {
      throw AdminError(.internalError, "the backend told of an account without an id")
    }
    self.uid = uid
    email = text("email")
    isEmailVerified = user["emailVerified"]?.bool ?? false
    displayName = text("displayName")
    photoURL = text("photoUrl")
    phoneNumber = text("phoneNumber")
    isDisabled = user["disabled"]?.bool ?? false
    creationTime = user["createdAt"]?.wholeNumber
    lastSignInTime = user["lastLoginAt"]?.wholeNumber
    lastRefreshTime = text("lastRefreshAt")
    customClaims = text("customAttributes").flatMap { (try? JSON.parse($0))?.object }
    tenantID = text("tenantId")
    providerData = (user["providerUserInfo"]?.array ?? []).compactMap(ProviderInfo.init)
    enrolledFactors = (user["mfaInfo"]?.array ?? []).compactMap(Factor.init)
    tokensValidAfterTime = user["validSince"]?.wholeNumber.map { $0.multipliedSafely(by: 1000) }
    passwordHash = text("passwordHash").flatMap {
      $0.utf8.elementsEqual(ExportedUser.redacted.utf8) ? nil : Secret($0)
    }
    passwordSalt = text("salt").map(Secret.init)
  }
}

extension UserRecord.ProviderInfo {
  init?(_ info: JSON) {
    func text(_ name: String) -> String? {
      info[name]?.string.flatMap { $0.isEmpty ? nil : $0 }
    }
    guard let providerID = text("providerId"),
      let uid = text("rawId") ?? text("phoneNumber") ?? text("email")
    else { return nil }
    self.providerID = providerID
    self.uid = uid
    displayName = text("displayName")
    email = text("email")
    photoURL = text("photoUrl")
    phoneNumber = text("phoneNumber")
  }
}

extension UserRecord.Factor {
  init?(_ factor: JSON) {
    func text(_ name: String) -> String? {
      factor[name]?.string.flatMap { $0.isEmpty ? nil : $0 }
    }
    guard let uid = text("mfaEnrollmentId") else { return nil }
    self.uid = uid
    phoneNumber = text("phoneInfo") ?? text("unobfuscatedPhoneInfo")
    factorID = factor["totpInfo"] == nil ? "phone" : "totp"
    displayName = text("displayName")
    enrollmentTime = text("enrolledAt")
  }
}

extension Int64 {
  fileprivate func multipliedSafely(by factor: Int64) -> Int64 {
    let (product, isTooLarge) = multipliedReportingOverflow(by: factor)
    return isTooLarge ? .max : product
  }
}
