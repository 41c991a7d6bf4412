import IdentityToolkit
import OIDC
public import System

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
  /// When the password was last set, in milliseconds since 1970.
  public let passwordUpdateTime: Int64?
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
      throw AdminError(.internalError, "the backend returned an account without an id")
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
    passwordUpdateTime = user["passwordUpdatedAt"]?.wholeNumber
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

/// A second factor that an administrator adds to an account.
struct EnrolledFactor {
  private let uid: String?
  private let displayName: String?
  private let phoneNumber: String?
  private let enrollmentTime: String?

  /// Parses an entry of `multiFactor.enrolledFactors`.
  init(_ json: JSON, at path: [String]) throws(AdminError) {
    let reader = try RecordReader(
      json, at: path, names: ["uid", "factorID", "displayName", "phoneNumber", "enrollmentTime"])
    uid = try reader.textIfAny("uid")
    displayName = try reader.textIfAny("displayName")
    phoneNumber = try reader.textIfAny("phoneNumber")
    enrollmentTime = try reader.textIfAny("enrollmentTime")
    switch try reader.textIfAny("factorID") {
    case nil, "phone":
      guard phoneNumber != nil else { throw reader.fault("phoneNumber", "is missing") }
    case "totp":
      guard uid != nil else {
        throw reader.fault("uid", "is missing: only its owner can enrol an authenticator app")
      }
      guard phoneNumber == nil else {
        throw reader.fault("phoneNumber", "is not something an authenticator app has")
      }
    default: throw reader.fault("factorID", "must be phone or totp")
    }
  }

  /// Parses the factors of a table's `multiFactor`; nil when it has none.
  static func list(_ reader: RecordReader) throws(AdminError) -> [EnrolledFactor]? {
    if case .bool(false)? = reader.value("multiFactor") { return [] }
    guard let inner = try reader.readerIfAny("multiFactor", names: ["enrolledFactors"]) else {
      return nil
    }
    if case .bool(false)? = inner.value("enrolledFactors") { return [] }
    guard let items = try inner.listIfAny("enrolledFactors") else { return nil }
    var factors: [EnrolledFactor] = []
    for (index, item) in items.enumerated() {
      factors.append(
        try EnrolledFactor(item, at: ["multiFactor", "enrolledFactors[\(index + 1)]"]))
    }
    let uids = factors.compactMap { factor in factor.uid.map { ExactString($0) } }
    guard Set(uids).count == uids.count else {
      throw inner.fault("enrolledFactors", "has two factors with the same uid")
    }
    return factors
  }

  /// Returns the JSON for a new account, whose factor ids the backend chooses.
  func newWire() throws(AdminError) -> JSON {
    guard let phoneNumber else {
      throw AdminError(
        .invalidArgument, "a new account can begin with phone numbers as second factors only")
    }
    guard uid == nil, enrollmentTime == nil else {
      throw AdminError(
        .invalidArgument, "the backend chooses uid and enrollmentTime of a new account's factors",
        hint: "leave them out, or set the factors with admin:updateUser afterwards")
    }
    var wire: JSONObject = ["phoneInfo": .string(phoneNumber)]
    wire["displayName"] = displayName.map(JSON.string)
    return .object(wire)
  }

  /// The JSON for existing accounts and imports.
  var wire: JSON {
    // The API requires an id, which the caller may omit.
    var wire: JSONObject = ["mfaEnrollmentId": .string(uid ?? SecureRandom.token(bytes: 15))]
    wire["displayName"] = displayName.map(JSON.string)
    wire["enrolledAt"] = enrollmentTime.map(JSON.string)
    if let phoneNumber { wire["phoneInfo"] = .string(phoneNumber) } else { wire["totpInfo"] = [:] }
    return .object(wire)
  }
}

enum CustomClaims {
  /// The maximum size of the claims as JSON, in bytes.
  static let mostBytes = 1000

  /// Claim names that are reserved for the token itself.
  static let reserved: Set<String> = [
    "acr", "amr", "at_hash", "aud", "auth_time", "azp", "c_hash", "cnf", "exp", "firebase", "iat",
    "iss", "jti", "nbf", "nonce", "sub",
  ]

  /// Returns the claims as the text that accounts store; false clears them.
  static func text(_ json: JSON) throws(AdminError) -> String {
    if case .bool(false) = json { return "{}" }
    let claims = try checked(json)
    let text = JSON.object(claims).encoded()
    guard text.utf8.count <= mostBytes else {
      throw AdminError(
        .invalidClaims,
        "the claims take up \(text.utf8.count) bytes as JSON, and \(mostBytes) are allowed",
        hint: "keep the rest where your server looks it up by uid")
    }
    return text
  }

  /// Returns the claims; throws when one has a reserved name.
  static func checked(_ json: JSON) throws(AdminError) -> JSONObject {
    guard let claims = json.object else {
      throw AdminError(.invalidClaims, "claims have names, and these are no table of them")
    }
    let taken = claims.keys.filter(reserved.contains)
    guard taken.isEmpty else {
      throw AdminError(
        .invalidClaims, "these claims are the token's own: \(taken.joined(separator: ", "))",
        hint: "choose other names")
    }
    return claims
  }
}
