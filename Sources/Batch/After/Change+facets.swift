import System

extension Change {
  /// The names of the account parts that the change sets, to find out which later changes set again.
  ///
  /// `whole` means the account itself, with all parts.
  var facets: [String] {
    switch self {
    case .update(_, let body): body.entries.flatMap { Self.facets($0.key, $0.value) }
    case .create, .delete: ["whole"]
    case .linkAsUser(_, let credential):
      [Self.facet(provider: credential["providerId"]?.string ?? "")]
    case .custom(let name, _, _): ["custom \(name)"]
    }
  }

  /// The change without the parts for which `isSuperseded` is true; nil if nothing remains.
  func leavingOut(_ isSuperseded: (String) -> Bool) -> Change? {
    guard !isSuperseded("whole") else { return nil }
    switch self {
    case .update(let uid, let body):
      let rest = Self.rest(of: body, isSuperseded)
      return rest.isEmpty ? nil : .update(uid: uid, body: rest)
    case .create(let account, let hash, let overwrites):
      let rest = Self.rest(of: account, isSuperseded)
      // An account with parts that were set again cannot match the created one exactly.
      return .create(account: rest, hash: hash, overwrites: overwrites && rest == account)
    case .delete: return self
    case .linkAsUser, .custom: return facets.contains(where: isSuperseded) ? nil : self
    }
  }

  /// The change split into one change per part, with the part's name.
  var singleFacets: [(name: String, change: Change)] {
    guard case .update(let uid, let body) = self else { return facets.map { ($0, self) } }
    return body.entries.flatMap { name, value -> [(String, Change)] in
      Self.facets(name, value).enumerated().map { index, facet in
        let part: JSON =
          switch name {
          case "deleteProvider", "deleteAttribute": [value[index] ?? .null]
          default: value
          }
        return (facet, .update(uid: uid, body: [name: part]))
      }
    }
  }

  private static func rest(of body: JSONObject, _ isSuperseded: (String) -> Bool) -> JSONObject {
    var rest = JSONObject()
    for (name, value) in body.entries {
      switch name {
      case "deleteProvider", "deleteAttribute":
        let kept = (value.array ?? []).filter { item in
          !facets(name, [item]).contains(where: isSuperseded)
        }
        if !kept.isEmpty { rest[name] = .array(kept) }
      case "providerUserInfo":
        let kept = (value.array ?? []).filter {
          !isSuperseded(facet(provider: $0["providerId"]?.string ?? ""))
        }
        rest[name] = .array(kept)
      default:
        if !facets(name, value).contains(where: isSuperseded) { rest[name] = value }
      }
    }
    return rest
  }

  private static func facet(provider: String) -> String {
    switch provider {
    case "phone": "phoneNumber"
    case "password": "password"
    default: "provider \(provider)"
    }
  }

  private static func facets(_ name: String, _ value: JSON) -> [String] {
    switch name {
    case "linkProviderUserInfo": [facet(provider: value["providerId"]?.string ?? "")]
    case "deleteProvider": (value.array ?? []).map { facet(provider: $0.string ?? "") }
    case "deleteAttribute": (value.array ?? []).map { attribute(of: $0.string ?? "") }
    case "disableUser", "disabled": ["disabled"]
    case "passwordHash", "salt", "rawPassword": ["password"]
    case "mfa", "mfaInfo": ["mfa"]
    default: [name]
    }
  }

  /// The account member that an attribute name of `accounts:update` clears.
  private static func attribute(of name: String) -> String {
    switch name {
    case "EMAIL": "email"
    case "DISPLAY_NAME": "displayName"
    case "PHOTO_URL": "photoUrl"
    case "PASSWORD": "password"
    default: name
    }
  }
}
