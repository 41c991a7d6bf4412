public import System
import IdentityToolkit

/// An account, as the backend returns it to an administrator.
public struct UserRecord: Sendable {
  /// A linked sign-in provider.
  public struct ProviderInfo: Sendable {
    /// The provider id, such as `google.com`, `password` or `phone`.
    public let providerID: String
    /// The user's id at the provider.
    public let uid: String
    /// The display name at the provider.
    public let displayName: String?
    /// The e-mail address at the provider.
    public let email: String?
    /// The photo URL at the provider.
    public let photoURL: String?
    /// The phone number, for `phone`.
    public let phoneNumber: String?
  }

  /// A second factor.
  public struct Factor: Sendable {
    /// The enrollment id.
    public let uid: String
    /// `phone`, or `totp` for an authenticator app.
    public let factorID: String
    /// The display name that the user chose.
    public let displayName: String?
    /// The phone number for SMS codes.
    public let phoneNumber: String?
    /// When it was enrolled, in the backend's format: `2026-01-31T12:00:00Z`.
    public let enrollmentTime: String?
  }

  /// The uid.
  public let uid: String
  /// The e-mail address.
  public let email: String?
  /// Whether the e-mail address is verified.
  public let isEmailVerified: Bool
  /// The display name.
  public let displayName: String?
  /// The photo URL.
  public let photoURL: String?
  /// The phone number.
  public let phoneNumber: String?
  /// Whether the account is disabled.
  public let isDisabled: Bool
  /// When the account was created, in milliseconds since 1970.
  public let creationTime: Int64?
  /// When the user last signed in, in milliseconds since 1970.
  public let lastSignInTime: Int64?
  /// When the tokens were last renewed, in the backend's format.
  public let lastRefreshTime: String?
  /// The custom claims in the tokens.
  public let customClaims: JSONObject?
  /// The tenant of the account.
  public let tenantID: String?
  /// The linked sign-in providers.
  public let providerData: [ProviderInfo]
  /// The second factors.
  public let enrolledFactors: [Factor]
  /// Tokens issued before this time are invalid, in milliseconds since 1970.
  public let tokensValidAfterTime: Int64?
  /// The password hash in Base64, if the administrator may see it.
  public let passwordHash: Secret?
  /// The salt of that hash, in Base64.
  public let passwordSalt: Secret?

  /// Parses an account in the response of a lookup.
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
