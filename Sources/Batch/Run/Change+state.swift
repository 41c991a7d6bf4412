import System
import IdentityToolkit

extension Change {
  /// Whether the account is already in the state that the change produces, so that no call is needed.
  ///
  /// - Parameters:
  ///   - account: The account as the backend returns it now; nil when there is none.
  ///   - before: The account before the call, if one was made. A password that differs from it counts as set;
  ///     without it, a password never counts as set.
  /// - Returns: Also false for what accounts do not show, such as a custom operation.
  func isDone(in account: JSON?, since before: JSON? = nil) -> Bool {
    switch self {
    case .update(_, let body):
      guard let account else { return false }
      return body.entries.allSatisfy { Self.isSet($0.key, $0.value, in: account, before) }
    case .create(let wanted, _, let overwrites):
      guard let account else { return false }
      return Self.isSame(.object(wanted), account, exactly: overwrites)
    case .delete: return account == nil
    case .linkAsUser(_, let credential):
      guard let account, let provider = credential["providerId"]?.string else { return false }
      return !AccountImage(account).identities(at: provider).isEmpty
    case .custom: return false
    }
  }

  /// The provider of the identity that the change links; nil for other changes.
  var linkedProvider: String? {
    guard case .update(_, let body) = self else { return nil }
    return body["linkProviderUserInfo"]?["providerId"]?.string
  }

  /// The provider at which the change would replace another identity, as the backend does; nil if there is none.
  func replacedProvider(of account: JSON?) -> String? {
    guard case .update(_, let body) = self, let provider = linkedProvider, let account else {
      return nil
    }
    // An update may unlink the other identity in the same call.
    if body["deleteProvider"]?.array?.contains(.string(provider)) == true { return nil }
    let rawID = body["linkProviderUserInfo"]?["rawId"]
    return AccountImage(account).identities(at: provider).contains { $0["rawId"] != rawID }
      ? provider : nil
  }

  /// Whether the account was changed after this change, so that `undo` must not touch it.
  ///
  /// - Parameters:
  ///   - before: The account before the change.
  ///   - now: The account now; nil when there is none.
  func hasChangedSince(before: JSON?, now: JSON?) -> Bool {
    if case .create(let wanted, _, _) = self, let now {
      // A later sign-in means that the account is in use.
      let used = AccountImage(now)["lastLoginAt"]
      if let used, AccountImage(.object(wanted))["lastLoginAt"] != used { return true }
    }
    return !isDone(in: now, since: before)
  }

  private static func isSet(
    _ name: String, _ value: JSON, in account: JSON, _ before: JSON?
  ) -> Bool {
    let image = AccountImage(account)
    switch name {
    case "linkProviderUserInfo":
      guard let provider = value["providerId"]?.string else { return false }
      return image.identities(at: provider).contains { $0["rawId"] == value["rawId"] }
    case "deleteProvider":
      return (value.array ?? []).allSatisfy { image.lacks(provider: $0.string ?? "") }
    case "deleteAttribute":
      return (value.array ?? []).allSatisfy { image.lacks(attribute: $0.string ?? "") }
    case "password":
      guard let before, image.hasPassword else { return false }
      let old = AccountImage(before)
      return ["passwordHash", "passwordUpdatedAt"].contains { image[$0] != old[$0] }
    case "mfa":
      return AccountImage.factors(value["enrollments"]) == AccountImage.factors(account["mfaInfo"])
    case "disableUser": return image.flag("disabled") == (value.bool ?? false)
    case "emailVerified": return image.flag(name) == (value.bool ?? false)
    case "validSince":
      return (image[name]?.wholeNumber ?? 0) >= (value.wholeNumber ?? .max)
    case "email": return image["email"]?.string?.lowercased() == value.string?.lowercased()
    case "customAttributes": return image.claims == AccountImage.claims(value.string)
    default: return image[name] == value || image[name]?.wholeText == value.wholeText
    }
  }

  /// Whether an account has all values of `wanted`; with `exactly`, also no others.
  ///
  /// Password hashes are not compared: the first sign-in replaces an imported hash.
  private static func isSame(_ wanted: JSON, _ found: JSON, exactly: Bool) -> Bool {
    let wanted = AccountImage(wanted)
    let found = AccountImage(found)
    for name in ["email", "displayName", "photoUrl", "phoneNumber"]
    where exactly || wanted[name] != nil {
      guard wanted[name]?.string?.lowercased() == found[name]?.string?.lowercased() else {
        return false
      }
    }
    for name in ["emailVerified", "disabled"] where exactly || wanted[name] != nil {
      guard wanted.flag(name) == found.flag(name) else { return false }
    }
    if exactly || wanted["customAttributes"] != nil, wanted.claims != found.claims { return false }
    if exactly || wanted.hasPassword, wanted.hasPassword != found.hasPassword { return false }
    let (own, others) = (wanted.identityKeys, found.identityKeys)
    guard exactly ? own == others : own.isSubset(of: others) else { return false }
    let (factors, foundFactors) = (wanted.factors, found.factors)
    return exactly || !factors.isEmpty ? factors == foundFactors : true
  }
}

/// An account from the backend, for comparisons: empty values count as missing.
struct AccountImage {
  private let json: JSON

  init(_ json: JSON) { self.json = json }

  /// A member; nil if it is missing or empty.
  subscript(name: String) -> JSON? {
    guard let value = json[name], !value.isNull, value != "" else { return nil }
    return value
  }

  func flag(_ name: String) -> Bool { json[name]?.bool ?? false }

  var hasPassword: Bool { self["passwordHash"] != nil || self["rawPassword"] != nil }

  /// The custom claims; an empty object if there are none.
  var claims: JSON { Self.claims(json["customAttributes"]?.string) }

  static func claims(_ text: String?) -> JSON {
    guard let text, !text.isEmpty, let claims = try? JSON.parse(text) else { return [:] }
    return claims
  }

  /// The identities at providers, without password and phone, which are fields of the account.
  var identities: [JSON] {
    (json["providerUserInfo"]?.array ?? []).filter {
      !["password", "phone", nil].contains($0["providerId"]?.string)
    }
  }

  func identities(at provider: String) -> [JSON] {
    identities.filter { $0["providerId"]?.string == provider }
  }

  var identityKeys: Set<ExactString> {
    Set(
      identities.map {
        ExactString("\($0["providerId"]?.string ?? "") \($0["rawId"]?.string ?? "")")
      })
  }

  var factors: [ExactString] { Self.factors(json["mfaInfo"]) }

  /// Second factors as comparable texts of kind, number and name, in order.
  static func factors(_ list: JSON?) -> [ExactString] {
    (list?.array ?? []).map {
      ExactString("\($0["phoneInfo"]?.string ?? "app") \($0["displayName"]?.string ?? "")")
    }
  }

  func lacks(provider: String) -> Bool {
    switch provider {
    case "password": !hasPassword
    case "phone": self["phoneNumber"] == nil
    default: identities(at: provider).isEmpty
    }
  }

  func lacks(attribute: String) -> Bool {
    switch attribute {
    case "EMAIL": self["email"] == nil
    case "DISPLAY_NAME": self["displayName"] == nil
    case "PHOTO_URL": self["photoUrl"] == nil
    case "PASSWORD": !hasPassword
    default: false
    }
  }
}

extension JSON {
  /// A number or its text; the wire format has both.
  var wholeText: String? { wholeNumber.map { String($0) } ?? string }
}
