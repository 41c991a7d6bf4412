internal import System

extension Person {
  private static let keys = [
    "email", "name", "password", "photo", "emailVerified", "providers", "microsoft", "yahoo",
    "google", "oidc",
  ]

  /// Reads one entry of the `people` list.
  init(
    json: JSON, at path: [String], providers known: [String: ProviderConfiguration]
  ) throws(ConfigurationError) {
    let reader = try ConfigurationReader(json, at: path, known: Self.keys)
    let email = try reader.requiredString("email")
    guard EmailAddress.normalized(email) != nil else {
      throw ConfigurationError(
        path: path + ["email"], message: "not an e-mail address: \"\(email)\"")
    }
    let name = try reader.string("name") ?? String(email.prefix { $0 != "@" })
    let password = try reader.string("password") ?? ProjectConfiguration.demoPassword
    self.init(email: email, name: name, password: Secret(password))
    photo = try reader.string("photo")
    isEmailVerified = try reader.bool("emailVerified") ?? true
    if let value = reader.value("microsoft") {
      microsoft = try MicrosoftAccount(email: email, json: value, at: path + ["microsoft"])
    }
    for (key, providerID) in [("yahoo", "yahoo.com"), ("google", "google.com")] {
      guard let value = reader.value(key) else { continue }
      let account = try ConfigurationReader(value, at: path + [key], known: ["id"])
      subjects[providerID] = try account.string("id")
    }
    if let value = reader.value("oidc") {
      // Keys are provider names without `oidc.`, values the `sub` claims there.
      let names = value.object?.keys ?? []
      let account = try ConfigurationReader(value, at: path + ["oidc"], known: Array(names))
      for name in names { subjects["oidc.\(name)"] = try account.string(name) }
    }
    if let list = try reader.strings("providers") {
      for (position, id) in list.enumerated() where known[id]?.isFederated != true {
        let candidates = known.values.filter(\.isFederated).map(\.id).sorted()
        throw ConfigurationError(
          path: path + ["providers", String(position + 1)],
          message: "no such identity provider in this project: \"\(id)\"",
          hint: nearestName(to: id, among: candidates).map { "did you mean \"\($0)\"?" })
      }
      providers = list
    }
  }
}

extension MicrosoftAccount {
  /// Reads a test user's `microsoft` table.
  init(email: String, json: JSON, at path: [String]) throws(ConfigurationError) {
    let reader = try ConfigurationReader(json, at: path, known: ["tenant", "tenantId", "oid"])
    let tenant = try reader.string("tenant")
    let tenantID = try reader.string("tenantId")
    let oid = try reader.string("oid")
    for (key, value) in [("tenantId", tenantID), ("oid", oid)] {
      guard let value, !StableID.isGUID(value) else { continue }
      throw ConfigurationError(
        path: path + [key], message: "not a GUID: \"\(value)\"",
        hint: "write 32 hexadecimal digits as 8-4-4-4-12")
    }
    if tenant == nil, tenantID != nil {
      throw ConfigurationError(
        path: path + ["tenantId"], message: "a personal account has no tenant of its own",
        hint: "give \"tenant\", the tenant's domain, as well")
    }
    if tenant == nil, let oid, !oid.hasPrefix("00000000-0000-0000-") {
      throw ConfigurationError(
        path: path + ["oid"], message: "a personal account's oid begins with 00000000-0000-0000-",
        hint: "give \"tenant\" for a work account")
    }
    if let tenant, !tenant.utf8.allSatisfy(Self.isDomainByte) {
      throw ConfigurationError(path: path + ["tenant"], message: "not a domain: \"\(tenant)\"")
    }
    self.init(email: email, tenant: tenant, tenantID: tenantID, oid: oid)
  }

  /// Whether `byte` can be part of a tenant's domain or GUID.
  static func isDomainByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
      true
    default: false
    }
  }
}
