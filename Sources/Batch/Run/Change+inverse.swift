import Client
import System

/// The changes that undo a change.
struct InverseOfChange: Sendable {
  /// The calls to make, in order; empty when nothing needs or can be undone.
  var changes: [Change] = []
  /// What cannot be undone and why: one sentence each, without values of the account.
  var lost: [String] = []
}

extension Change {
  /// The changes that undo this one, from the account before and after it.
  ///
  /// - Parameters:
  ///   - before: The account before the change; nil if there was none.
  ///   - after: The account now, while the change is still in effect; nil if there is none.
  func inverse(before: JSON?, after: JSON?) -> InverseOfChange {
    var inverse = InverseOfChange()
    switch self {
    case .update(let uid, let body):
      guard let before else { return inverse }
      let update = InverseOfUpdate(uid, body, AccountImage(before))
      inverse = update.result
    case .create(let account, _, _):
      guard let uid = account["localId"]?.string else { return inverse }
      if let before {
        inverse.restore(before, overwrites: true)
      } else {
        inverse.changes = [.delete(uid: uid)]
      }
    case .delete:
      guard let before else { return inverse }
      inverse.restore(before, overwrites: false)
    case .linkAsUser(let uid, let credential):
      guard let provider = credential["providerId"]?.string else { return inverse }
      let had = before.map { !AccountImage($0).identities(at: provider).isEmpty } ?? false
      if !had {
        inverse.changes = [.update(uid: uid, body: ["deleteProvider": [.string(provider)]])]
      }
      inverse.lost = ["lastLoginAt: the account was signed in to"]
    case .custom(let name, let uid, let arguments):
      inverse.changes = [.undoing(custom: name, uid: uid, arguments: arguments)]
    }
    return inverse
  }
}

extension InverseOfChange {
  /// Adds an import that restores a whole account.
  fileprivate mutating func restore(_ image: JSON, overwrites: Bool) {
    guard var account = image.object else { return }
    // The backend sets these fields itself and rejects them in an import.
    for name in ["passwordUpdatedAt", "lastRefreshAt", "initialEmail", "customAuth"] {
      account[name] = nil
    }
    let kept = AccountImage(image)
    if account["providerUserInfo"] != nil {
      account["providerUserInfo"] = .array(kept.identities)
    }
    if Admin.hidesHash(image) {
      account["passwordHash"] = nil
      account["salt"] = nil
      lost.append("password: the backend did not show its hash to this service account")
    } else if kept["passwordHash"] != nil {
      lost.append(
        "passwordUpdatedAt: the backend sets it at an import; the password itself is put back")
    }
    if let factors = account["mfaInfo"]?.array {
      let importable = factors.filter { $0["phoneInfo"] != nil }
      account["mfaInfo"] = importable.isEmpty ? nil : .array(importable)
      if importable.count < factors.count {
        lost.append("authenticator apps: the backend never returns their secrets")
      }
    }
    if kept["passkeyInfo"] != nil { lost.append("passkeys: no import takes them") }
    account["passkeyInfo"] = nil
    lost.append("refresh tokens: the user signs in again, as an import ends all sessions")
    changes = [.create(account: account, hash: nil, overwrites: overwrites)]
  }
}

/// Builds the update that restores the fields an update changed.
private struct InverseOfUpdate {
  private let uid: String
  private let body: JSONObject
  private let before: AccountImage
  private var fields = JSONObject()
  private var deletedAttributes: [JSON] = []
  private var deletedProviders: [JSON] = []
  /// The identities to link; one call links one identity.
  private var links: [JSON] = []
  private var lost: [String] = []

  init(_ uid: String, _ body: JSONObject, _ before: AccountImage) {
    self.uid = uid
    self.body = body
    self.before = before
    for (name, value) in body.entries { invert(name, value) }
  }

  private mutating func invert(_ name: String, _ value: JSON) {
    switch name {
    case "email":
      restore("email", clearing: "EMAIL")
      lost.append(Self.email)
      // The backend marks a new address as unverified, so restore the old flag as well.
      fields["emailVerified"] = .bool(before.flag("emailVerified"))
    case "displayName": restore(name, clearing: "DISPLAY_NAME")
    case "photoUrl": restore(name, clearing: "PHOTO_URL")
    case "phoneNumber": restorePhone()
    case "emailVerified": fields[name] = .bool(before.flag(name))
    case "disableUser": fields[name] = .bool(before.flag("disabled"))
    case "customAttributes": fields[name] = before[name] ?? "{}"
    case "mfa": restoreFactors()
    case "validSince": lost.append("refresh tokens: they were revoked, and stay so")
    case "createdAt", "lastLoginAt":
      if let old = before[name]?.wholeText { fields[name] = .string(old) }
    case "password": lost.append(Self.password)
    case "deleteAttribute":
      for attribute in value.array ?? [] { restore(attribute: attribute.string ?? "") }
    case "deleteProvider":
      for provider in value.array ?? [] { restore(provider: provider.string ?? "") }
    case "linkProviderUserInfo": unlink(value)
    default: lost.append("\(name): nothing puts it back")
    }
  }

  private static let email =
    "validSince and initialEmail: the backend ends all sessions when an address changes, and keeps the first one"
  private static let password =
    "password: a hash cannot be set by an update; the user resets the password, or an import of the "
    + "before-image restores the account"

  private mutating func restore(_ name: String, clearing attribute: String) {
    if let old = before[name] {
      fields[name] = old
    } else {
      deletedAttributes.append(.string(attribute))
    }
  }

  private mutating func restorePhone() {
    if let old = before["phoneNumber"] {
      fields["phoneNumber"] = old
    } else {
      deletedProviders.append("phone")
    }
  }

  private mutating func restore(attribute: String) {
    switch attribute {
    case "EMAIL":
      if let old = before["email"] {
        fields["email"] = old
        fields["emailVerified"] = .bool(before.flag("emailVerified"))
      }
    case "DISPLAY_NAME": if let old = before["displayName"] { fields["displayName"] = old }
    case "PHOTO_URL": if let old = before["photoUrl"] { fields["photoUrl"] = old }
    case "PASSWORD": if before.hasPassword { lost.append(Self.password) }
    default: lost.append("\(attribute): nothing puts it back")
    }
  }

  private mutating func restore(provider: String) {
    switch provider {
    case "password":
      if before.hasPassword { lost.append(Self.password) }
      if let old = before["email"] {
        fields["email"] = old
        fields["emailVerified"] = .bool(before.flag("emailVerified"))
      }
    case "phone": if let old = before["phoneNumber"] { fields["phoneNumber"] = old }
    default: links += before.identities(at: provider).map(AccountImage.linkable)
    }
  }

  private mutating func unlink(_ identity: JSON) {
    let provider = identity["providerId"]?.string ?? ""
    let old = before.identities(at: provider)
    if old.isEmpty {
      deletedProviders.append(.string(provider))
    } else {
      links += old.map(AccountImage.linkable)
    }
  }

  private mutating func restoreFactors() {
    let old = before["mfaInfo"]?.array ?? []
    fields["mfa"] = ["enrollments": .array(old)]
    if old.contains(where: { $0["phoneInfo"] == nil }) {
      lost.append("authenticator apps: the backend never returns their secrets")
      fields["mfa"] = ["enrollments": .array(old.filter { $0["phoneInfo"] != nil })]
    }
  }

  var result: InverseOfChange {
    var inverse = InverseOfChange()
    inverse.lost = lost
    var first = fields
    if !deletedAttributes.isEmpty { first["deleteAttribute"] = .array(deletedAttributes) }
    if !deletedProviders.isEmpty { first["deleteProvider"] = .array(deletedProviders) }
    if !first.isEmpty { inverse.changes.append(.update(uid: uid, body: first)) }
    inverse.changes += links.map { .update(uid: uid, body: ["linkProviderUserInfo": $0]) }
    return inverse
  }
}

extension AccountImage {
  /// The members of an identity that `linkProviderUserInfo` accepts.
  static func linkable(_ identity: JSON) -> JSON {
    let names = ["providerId", "rawId", "email", "displayName", "photoUrl", "screenName"]
    return .object(JSONObject(names.compactMap { name in identity[name].map { (name, $0) } }))
  }
}
