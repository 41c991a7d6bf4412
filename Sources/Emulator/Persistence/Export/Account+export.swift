internal import System
internal import OIDC

extension Account {
  /// Reads an account in the format of `accounts:batchGet`, which exports use; nil without an id.
  ///
  /// Unlike `accounts:batchCreate` it keeps every field, because an export restores accounts. `hashing` applies to
  /// all hashes that are not in the readable form.
  init?(exported user: JSON, hashing: PasswordHashing?, hash: (String) -> PasswordRecord) {
    guard let fields = user.object, let uid = fields["localId"]?.string, !uid.isEmpty else {
      return nil
    }
    self.init(uid: uid)
    for (name, value) in fields.entries {
      switch name {
      case "localId", "tenantId", "salt", "version", "kind": break
      case "email": email = value.string
      case "emailVerified": emailVerified = value.bool
      case "displayName": displayName = value.string
      case "photoUrl": photoURL = value.string
      case "phoneNumber": phoneNumber = value.string
      case "passwordHash":
        guard let text = value.string, !text.isEmpty else { break }
        password = PasswordRecord(
          hash: text, salt: fields["salt"]?.string,
          hashing: PasswordRecord.isReadable(text) ? nil : hashing)
      case "rawPassword":
        guard let text = value.string, fields["passwordHash"] == nil else { break }
        password = hash(text)
      case "passwordUpdatedAt": passwordUpdatedAt = Self.moment(value)
      case "emailLinkSignin": hasEmailLink = value.bool == true
      case "disabled": disabled = value.bool
      case "customAuth": isCustom = value.bool == true
      case "customAttributes": customAttributes = value.string
      case "initialEmail": initialEmail = value.string
      case "providerUserInfo":
        listsProviders = true
        for entry in value.array ?? [] {
          LinkedIdentity(exported: entry).map { link($0) }
        }
      case "mfaInfo": factors = (value.array ?? []).compactMap(SecondFactor.init(exported:))
      case "passkeyInfo": passkeys = (value.array ?? []).compactMap(Passkey.init(exported:))
      case "createdAt": createdAt = Self.moment(value)
      case "lastLoginAt": lastLoginAt = Self.moment(value)
      case "lastRefreshAt":
        lastRefreshAt = value.string.flatMap(Timestamp.milliseconds(of:))
      case "validSince": validSince = Self.moment(value)
      default: setFurther(name, value)
      }
    }
    // An export lacks this time; as far as it shows, the newest session began no later than the last refresh.
    newestSession = (lastRefreshAt ?? 0) / 1000
    updateProviders()
  }

  /// A time; 64-bit numbers are strings in Google's JSON.
  private static func moment(_ value: JSON) -> Int64? {
    value.integer ?? value.string.flatMap { Int64($0) }
  }
}

extension LinkedIdentity {
  fileprivate init?(exported entry: JSON) {
    guard let providerID = entry["providerId"]?.string, !providerID.isEmpty else { return nil }
    let federatedID = entry["federatedId"]?.string
    // Exports of Google's servers lack the raw id of some providers.
    let rawID = entry["rawId"]?.string ?? federatedID ?? entry["phoneNumber"]?.string
    guard let rawID, !rawID.isEmpty else { return nil }
    self.init(
      providerID: providerID, rawID: rawID, email: entry["email"]?.string,
      displayName: entry["displayName"]?.string, photoURL: entry["photoUrl"]?.string,
      screenName: entry["screenName"]?.string, phoneNumber: entry["phoneNumber"]?.string)
    self.federatedID = federatedID == rawID ? nil : federatedID
    showsFederatedID = federatedID != nil
  }
}

extension SecondFactor {
  fileprivate init?(exported entry: JSON) {
    guard let id = entry["mfaEnrollmentId"]?.string else { return nil }
    self.init(
      id: id, displayName: entry["displayName"]?.string, enrolledAt: entry["enrolledAt"]?.string,
      phoneNumber: entry["unobfuscatedPhoneInfo"]?.string ?? entry["phoneInfo"]?.string)
  }
}

extension Passkey {
  fileprivate init?(exported entry: JSON) {
    guard let id = entry["credentialId"]?.string else { return nil }
    self.init(credentialID: id, name: entry["name"]?.string)
  }
}
