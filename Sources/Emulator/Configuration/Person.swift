public import System
internal import IdentityToolkit
internal import OIDC

/// A test user of the emulated identity providers.
///
/// It is not an account of the Firebase project: signing in creates one.
public struct Person: Sendable {
  /// The address entered on the login page, and the one the providers report.
  public let email: String
  /// The display name.
  var name: String
  /// The password at every identity provider.
  public var password: Secret
  /// A photo URL, for the providers that report one; Microsoft serves the image itself instead.
  var photo: String?
  /// The user's account at Microsoft.
  public var microsoft: MicrosoftAccount
  /// Configured subjects by provider id; the others are derived from the e-mail address.
  var subjects: [String: String] = [:]
  /// The identity providers that have this user; nil for all of them.
  public var providers: [String]?
  /// Whether the identity providers assert that the address is verified.
  var isEmailVerified = true

  /// A test user whose ids are derived from the e-mail address.
  init(
    email: String, name: String, password: Secret, photo: String? = nil,
    microsoft: MicrosoftAccount? = nil
  ) {
    self.email = email
    self.name = name
    self.password = password
    self.photo = photo
    self.microsoft = microsoft ?? MicrosoftAccount(email: email)
  }

  /// A test user who is created at the first sign-in, in the tenant that the request names.
  ///
  /// - Parameter tenant: The tenant in Microsoft's path: a GUID, a domain, or nil for any.
  init(newcomer email: String, tenant: String?) {
    let domain = email.split(separator: "@").last.map(String.init) ?? ""
    let isPersonal =
      tenant == "consumers" || tenant == MicrosoftAccount.personalTenantID
      || tenant == nil && MicrosoftAccount.personalDomains.contains(domain)
    let account =
      if isPersonal {
        MicrosoftAccount(email: email)
      } else if let tenant, StableID.isGUID(tenant) {
        MicrosoftAccount(email: email, tenant: domain, tenantID: tenant.lowercased())
      } else {
        MicrosoftAccount(email: email, tenant: tenant ?? domain)
      }
    self.init(
      email: email, name: String(email.prefix { $0 != "@" }),
      password: Secret(ProjectConfiguration.demoPassword), microsoft: account)
  }

  /// Whether the user has an account at `providerID`.
  public func isKnown(to providerID: String) -> Bool {
    guard let providers else { return true }
    return providers.contains { sameText($0, providerID) }
  }

  /// The user's id at a provider: its `sub` claim, except at Microsoft.
  ///
  /// Microsoft's `sub` is pairwise: it depends on the app as well. See `microsoftSubject(client:)`.
  func subject(at providerID: String) -> String {
    if let given = subjects[providerID] { return given }
    return switch providerID {
    case "microsoft.com": microsoft.graphID
    case "google.com": StableID.decimal(for: "google.com", email, count: 21)
    case "yahoo.com": String(StableID.hex(for: "yahoo.com", email).prefix(26)).uppercased()
    default: StableID.guid(for: providerID, email)
    }
  }

  /// An ID token of a provider without a signature, as JSON; emulators under compatible rules accept it.
  public func unsignedIDToken(of providerID: String) -> Secret {
    var claims: JSONObject = [
      "sub": .string(subject(at: providerID)), "email": .string(email),
      "email_verified": .bool(isEmailVerified), "name": .string(name),
    ]
    if let photo { claims["picture"] = .string(photo) }
    return Secret(JSON.object(claims).encoded())
  }

  /// Microsoft's `sub` for one app registration; other apps receive other values.
  func microsoftSubject(client clientID: String) -> String {
    StableID.hex(for: "sub:\(clientID)", microsoft.oid)
  }
}

/// A test user's account at Microsoft: a work or school account of a tenant, or a personal account.
public struct MicrosoftAccount: Sendable, Equatable {
  /// The tenant of all personal accounts; Microsoft uses this id everywhere.
  public static let personalTenantID = "9188040d-6c67-4c5b-b112-36a304b66dad"

  /// The domains of personal accounts.
  static let personalDomains: Set = ["outlook.com", "hotmail.com", "live.com", "msn.com"]

  /// The domain of the tenant, or nil for a personal account.
  public let tenant: String?
  /// The GUID of the tenant, the `tid` claim.
  public let tenantID: String
  /// The `oid` claim: the user's object id, the same for every app.
  let oid: String

  /// An account of `tenant`, or a personal one; omitted ids are derived from the e-mail address.
  init(email: String, tenant: String? = nil, tenantID: String? = nil, oid: String? = nil) {
    self.tenant = tenant
    if let tenant {
      self.tenantID = tenantID ?? StableID.guid(for: "tenant", tenant)
      self.oid = oid ?? StableID.guid(for: "oid", email)
    } else {
      self.tenantID = Self.personalTenantID
      // A personal account's oid is its 16-digit id, padded with zeros to the shape of a GUID.
      self.oid = oid ?? "00000000-0000-0000-" + StableID.guid(for: "oid", email).suffix(17)
    }
  }

  /// Whether the account is a personal one (outlook.com and the like).
  var isPersonal: Bool { tenant == nil }

  /// Whether Microsoft signs the account in when a request names `tenant`: a GUID, a domain, `common`, `organizations`
  /// or `consumers`.
  public func isAdmitted(by tenant: String) -> Bool {
    switch tenant {
    case "common": true
    case "organizations": !isPersonal
    case "consumers": isPersonal
    default: isOf(tenant)
    }
  }

  /// Whether the account belongs to the tenant with this GUID or domain, in any case.
  func isOf(_ tenant: String) -> Bool {
    let wanted = tenant.lowercased()
    return sameText(tenantID.lowercased(), wanted)
      || self.tenant.map { sameText($0.lowercased(), wanted) } ?? false
  }

  /// The Graph profile's `id`: the oid of a work account, the last sixteen digits of a personal one.
  var graphID: String {
    isPersonal ? String(oid.filter { $0 != "-" }.suffix(16)) : oid
  }
}

/// Ids that are the same in every run, because they are hashes of what they identify.
enum StableID {
  /// Thirty-two lowercase hexadecimal digits.
  static func hex(for kind: String, _ subject: String) -> String {
    String(Digest.sha256Hex("luath:\(kind):\(subject)").prefix(32))
  }

  /// A GUID in the format of version 4.
  static func guid(for kind: String, _ subject: String) -> String {
    var digits = Array(hex(for: kind, subject).utf8)
    digits[12] = UInt8(ascii: "4")
    digits[16] = UInt8(ascii: "8")
    var text = ""
    for (position, digit) in digits.enumerated() {
      if [8, 12, 16, 20].contains(position) { text += "-" }
      text.unicodeScalars.append(Unicode.Scalar(digit))
    }
    return text
  }

  /// `count` decimal digits that do not begin with zero.
  static func decimal(for kind: String, _ subject: String, count: Int) -> String {
    var text = ""
    for byte in Digest.sha256(Array("luath:\(kind):\(subject)".utf8)).prefix(count) {
      text += String(text.isEmpty ? byte % 9 + 1 : byte % 10)
    }
    return text
  }

  static func isGUID(_ text: String) -> Bool {
    let groups = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard groups.map(\.count) == [8, 4, 4, 4, 12] else { return false }
    return groups.joined().allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"),
        UInt8(ascii: "A")...UInt8(ascii: "F"):
        true
      default: false
      }
    }
  }
}

/// The test users in their order, with an index by e-mail address.
///
/// Addresses are compared without regard to the case of ASCII letters.
struct PeopleDirectory: Sendable {
  private(set) var people: [Person]
  private var positions: [ExactString: Int] = [:]

  /// When several users share an address, the index has the first.
  init(_ people: [Person]) {
    self.people = people
    for (position, person) in people.enumerated() where self[person.email] == nil {
      positions[Self.key(person.email)] = position
    }
  }

  subscript(address: String) -> Person? { positions[Self.key(address)].map { people[$0] } }

  /// Adds a user; returns false when the address is taken.
  mutating func add(_ person: Person) -> Bool {
    let key = Self.key(person.email)
    guard positions[key] == nil else { return false }
    positions[key] = people.count
    people.append(person)
    return true
  }

  /// Removes a user; returns false when no user has the address.
  mutating func remove(_ address: String) -> Bool {
    guard let position = positions.removeValue(forKey: Self.key(address)) else { return false }
    people.remove(at: position)
    for later in position..<people.count { positions[Self.key(people[later].email)] = later }
    return true
  }

  private static func key(_ address: String) -> ExactString {
    ExactString(string: address.asciiLowercased)
  }
}

extension Person {
  private static let keys = [
    "email", "name", "password", "photo", "emailVerified", "providers", "microsoft", "yahoo",
    "google", "oidc",
  ]

  /// Reads one entry of the `people` list.
  init(
    json: JSON, at path: [String], providers known: [String: ProviderConfiguration]
  ) throws(ConfigurationError) {
    let reader = try ConfigurationReader(json, at: path, names: Self.keys)
    let email = try reader.text("email")
    guard EmailAddress.normalized(email) != nil else {
      throw reader.fault("email", "not an e-mail address: \"\(email)\"")
    }
    let name = try reader.textIfAny("name") ?? String(email.prefix { $0 != "@" })
    let password = try reader.textIfAny("password") ?? ProjectConfiguration.demoPassword
    self.init(email: email, name: name, password: Secret(password))
    photo = try reader.textIfAny("photo")
    isEmailVerified = try reader.boolIfAny("emailVerified") ?? true
    if let value = reader.value("microsoft") {
      microsoft = try MicrosoftAccount(email: email, json: value, at: path + ["microsoft"])
    }
    for (key, providerID) in [("yahoo", "yahoo.com"), ("google", "google.com")] {
      guard let account = try reader.readerIfAny(key, names: ["id"]) else { continue }
      subjects[providerID] = try account.textIfAny("id")
    }
    if let account = try reader.readerIfAny("oidc") {
      // Keys are provider names without `oidc.`, values the `sub` claims there.
      for name in account.object.keys { subjects["oidc.\(name)"] = try account.textIfAny(name) }
    }
    if let list = try reader.textsIfAny("providers") {
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
    let reader = try ConfigurationReader(json, at: path, names: ["tenant", "tenantId", "oid"])
    let tenant = try reader.textIfAny("tenant")
    let tenantID = try reader.textIfAny("tenantId")
    let oid = try reader.textIfAny("oid")
    for (key, value) in [("tenantId", tenantID), ("oid", oid)] {
      guard let value, !StableID.isGUID(value) else { continue }
      throw reader.fault(
        key, "not a GUID: \"\(value)\"", hint: "write 32 hexadecimal digits as 8-4-4-4-12")
    }
    if tenant == nil, tenantID != nil {
      throw reader.fault(
        "tenantId", "a personal account has no tenant of its own",
        hint: "give \"tenant\", the tenant's domain, as well")
    }
    if tenant == nil, let oid, !oid.hasPrefix("00000000-0000-0000-") {
      throw reader.fault(
        "oid", "a personal account's oid begins with 00000000-0000-0000-",
        hint: "give \"tenant\" for a work account")
    }
    if let tenant, !tenant.utf8.allSatisfy(Self.isDomainByte) {
      throw reader.fault("tenant", "not a domain: \"\(tenant)\"")
    }
    self.init(email: email, tenant: tenant, tenantID: tenantID, oid: oid)
  }

  /// Whether the text can be the id of a tenant: a GUID.
  public static func isTenantID(_ text: String) -> Bool { StableID.isGUID(text) }

  /// Whether `byte` can be part of a tenant's domain or GUID.
  static func isDomainByte(_ byte: UInt8) -> Bool {
    byte.isLetterOrDigit || "-.".utf8.contains(byte)
  }
}

extension Person: Recorded {
  var record: JSONObject {
    var microsoft: JSONObject = [
      "tenantId": .string(self.microsoft.tenantID), "oid": .string(self.microsoft.oid),
    ]
    microsoft.set("tenant", self.microsoft.tenant)
    var record: JSONObject = [
      "email": .string(email), "name": .string(name), "password": .string(password.reveal()),
      "emailVerified": .bool(isEmailVerified), "microsoft": .object(microsoft),
    ]
    record.set("photo", photo)
    if !subjects.isEmpty {
      record["subjects"] = .object(
        JSONObject(subjects.sorted { $0.key < $1.key }.map { ($0, .string($1)) }))
    }
    if let providers { record["providers"] = .array(providers.map { .string($0) }) }
    return record
  }

  init?(record: JSONObject) {
    guard let email = record["email"]?.string, let name = record["name"]?.string,
      let password = record["password"]?.string, let microsoft = record["microsoft"]
    else { return nil }
    self.init(
      email: email, name: name, password: Secret(password), photo: record["photo"]?.string,
      microsoft: MicrosoftAccount(
        email: email, tenant: microsoft["tenant"]?.string,
        tenantID: microsoft["tenantId"]?.string, oid: microsoft["oid"]?.string))
    for (id, subject) in record["subjects"]?.object?.entries ?? [] { subjects[id] = subject.string }
    providers = record["providers"]?.array?.compactMap(\.string)
    isEmailVerified = record["emailVerified"]?.bool == true
  }
}
