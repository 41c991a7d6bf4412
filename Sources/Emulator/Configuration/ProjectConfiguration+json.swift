public import System

extension ProjectConfiguration {
  /// The keys of the project file's `project` table.
  public static let keys = [
    "id", "apiKey", "port", "oneAccountPerEmail", "enumerationProtection", "identityPlatform",
    "authorizedDomains", "authDomain", "actionUrl", "testPhoneNumbers", "requiresAppCredential",
    "recentLoginMinutes", "passwordMemoryCost", "allowOrigins", "allowServers", "settings",
    "providers", "people", "faults",
  ]

  /// Reads a project file's `project` table.
  ///
  /// An omitted key keeps its default, which for `providers` and `people` is that of the demo project.
  public init(json: JSON) throws(ConfigurationError) {
    let reader = try ConfigurationReader(json, names: Self.keys)
    self = .demo
    if let id = try reader.textIfAny("id") {
      guard Self.isProjectID(id) else {
        throw reader.fault(
          "id", "not a project id: \"\(id)\"",
          hint: "use up to 63 lower-case letters, digits and hyphens")
      }
      self.id = id
    }
    apiKey = try reader.textIfAny("apiKey").map { Secret($0) }
    port = try reader.integerIfAny("port", in: 1...UInt16.max)
    oneAccountPerEmail = try reader.boolIfAny("oneAccountPerEmail") ?? oneAccountPerEmail
    enumerationProtection = try reader.boolIfAny("enumerationProtection") ?? enumerationProtection
    identityPlatform = try reader.boolIfAny("identityPlatform") ?? identityPlatform
    if let domains = try reader.textsIfAny("authorizedDomains") { authorizedDomains = domains }
    authDomain = try reader.textIfAny("authDomain")
    try readActionURL(reader)
    try readTestNumbers(reader)
    requiresAppCredential = try reader.boolIfAny("requiresAppCredential") ?? requiresAppCredential
    recentLoginMinutes =
      try reader.integerIfAny("recentLoginMinutes", in: 0...525_600) ?? recentLoginMinutes
    passwordMemoryCost =
      try reader.integerIfAny("passwordMemoryCost", in: 1...14) ?? passwordMemoryCost
    allowedOrigins = try Self.readOrigins("allowOrigins", reader)
    allowedServers = try Self.readOrigins("allowServers", reader)
    if let json = reader.value("faults") { faults = try FaultPlan(json: json) }
    if let providers = try reader.objectIfAny("providers") {
      self.providers = try Self.readProviders(providers)
      listsProviders = true
    }
    if let message = reader.value("settings") { try readSettings(message) }
    if reader.value("people")?.string == "any" {
      admitsAnyone = true
    } else if let word = reader.value("people")?.string {
      throw reader.fault(
        "people", "not a list of test users: \"\(word)\"",
        hint: "write a list, or \"any\" to have test users created as they are asked for")
    } else if let people = try reader.listIfAny("people") {
      self.people = try Self.readPeople(people, providers: self.providers)
      listsPeople = true
    }
  }

  /// Reads the `settings` table, which has the fields of Google's `Config` message.
  private mutating func readSettings(_ json: JSON) throws(ConfigurationError) {
    guard let message = Schema.shared.message("AdminConfig") else {
      preconditionFailure("the table of messages lacks the project's settings")
    }
    let checked: JSONObject
    do throws(SchemaFault) {
      checked = try Schema.shared.check(json, as: message, isProtobuf: true)
    } catch {
      throw ConfigurationError(
        path: ["settings"] + error.pointer.split(separator: "/").map(String.init),
        message: error.expected)
    }
    for name in checked.keys where message.kind(of: name) == nil {
      throw ConfigurationError(
        path: ["settings", name], message: "unknown key",
        hint: nearestName(to: name, among: message.fields.map(\.name)).map {
          "did you mean \"\($0)\"?"
        }
          ?? "the keys are those of Google's Config message")
    }
    if let allows = checked["signIn"]?["allowDuplicateEmails"]?.bool {
      oneAccountPerEmail = !allows
    }
    if let isOn = checked["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"]?.bool {
      enumerationProtection = isOn
    }
    // Settings from the file's own keys, such as test phone numbers, stay.
    take(settings.merging(checked))
  }

  private static func readOrigins(
    _ key: String, _ reader: ConfigurationReader
  ) throws(ConfigurationError) -> OriginList {
    var list = OriginList()
    for (position, text) in try (reader.textsIfAny(key) ?? []).enumerated() {
      do throws(Problem) { try list.add(text) } catch {
        throw ConfigurationError(
          path: [key, String(position + 1)], message: error.message, hint: error.hint)
      }
    }
    return list
  }

  /// Whether a text can be the id of a project.
  public static func isProjectID(_ id: String) -> Bool {
    (1...63).contains(id.utf8.count)
      && id.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
          UInt8(ascii: "-"):
          true
        default: false
        }
      }
  }

  private static func readProviders(
    _ object: JSONObject
  ) throws(ConfigurationError) -> [String: ProviderConfiguration] {
    var providers: [String: ProviderConfiguration] = [:]
    for (id, settings) in object.entries {
      providers[id] = try ProviderConfiguration(id: id, json: settings, at: ["providers", id])
    }
    return providers
  }

  private static func readPeople(
    _ items: [JSON], providers: [String: ProviderConfiguration]
  ) throws(ConfigurationError) -> [Person] {
    var people: [Person] = []
    var seen: Set<ExactString> = []
    for (position, item) in items.enumerated() {
      let path = ["people", String(position + 1)]
      let person = try Person(json: item, at: path, providers: providers)
      guard seen.insert(ExactString(string: person.email.asciiLowercased)).inserted else {
        throw ConfigurationError(
          path: path + ["email"], message: "two people share the address \(person.email)")
      }
      people.append(person)
    }
    return people
  }

  /// All settings but id and faults under flat names, so that they can be compared one by one.
  ///
  /// Each provider and each test user has its own name.
  var record: JSONObject {
    var record: JSONObject = [
      "oneAccountPerEmail": .bool(oneAccountPerEmail), "identityPlatform": .bool(identityPlatform),
      "emailLink": .bool(isEmailLinkEnabled),
      "authorizedDomains": .array(authorizedDomains.map { .string($0) }),
      "recentLoginMinutes": .integer(Int64(recentLoginMinutes)),
    ]
    record.flag("requiresAppCredential", requiresAppCredential)
    record["passwordMemoryCost"] = .integer(Int64(passwordMemoryCost))
    for (name, value) in settings.entries { record[Self.settingStart + name] = value }
    record.set("apiKey", apiKey?.reveal())
    record.set("enumerationProtection", enumerationProtection)
    record.set("authDomain", authDomain)
    for (id, provider) in providers.sorted(by: { $0.key < $1.key }) {
      record[Self.providerStart + id] = .object(provider.record)
    }
    for person in people { record[Self.personStart + person.email] = .object(person.record) }
    return record
  }

  private static let settingStart = "setting/"
  private static let providerStart = "provider/"
  private static let personStart = "person/"

  /// Reads settings from a record; returns false when one is malformed.
  private mutating func takeRecord(_ record: JSONObject) -> Bool {
    settings = JSONObject()
    providers = [:]
    var known: [Person] = []
    apiKey = record["apiKey"]?.string.map { Secret($0) }
    oneAccountPerEmail = record["oneAccountPerEmail"]?.bool ?? oneAccountPerEmail
    enumerationProtection = record["enumerationProtection"]?.bool
    identityPlatform = record["identityPlatform"]?.bool ?? identityPlatform
    isEmailLinkEnabled = record["emailLink"]?.bool ?? isEmailLinkEnabled
    if let domains = record["authorizedDomains"]?.array {
      authorizedDomains = domains.compactMap(\.string)
    }
    authDomain = record["authDomain"]?.string
    if let minutes = record["recentLoginMinutes"]?.integer { recentLoginMinutes = Int(minutes) }
    requiresAppCredential = record["requiresAppCredential"]?.bool == true
    if let cost = record["passwordMemoryCost"]?.integer { passwordMemoryCost = Int(cost) }
    for (name, value) in record.entries {
      if name.utf8.starts(with: Self.settingStart.utf8) {
        settings[String(name.dropFirst(Self.settingStart.count))] = value
      } else if name.utf8.starts(with: Self.providerStart.utf8) {
        guard let object = value.object, let provider = ProviderConfiguration(record: object) else {
          return false
        }
        providers[provider.id] = provider
      } else if name.utf8.starts(with: Self.personStart.utf8) {
        guard let object = value.object, let person = Person(record: object) else { return false }
        known.append(person)
      }
    }
    people = known
    return true
  }

  /// The changes since the emulator started with `original`; empty when there are none.
  func changes(since original: ProjectConfiguration) -> JSONObject {
    let before = original.record
    let now = record
    var set = JSONObject()
    for (name, value) in now.entries where before[name] != value { set[name] = value }
    let dropped = before.keys.filter { now[$0] == nil }
    var changes = JSONObject()
    if !set.isEmpty { changes["set"] = .object(set) }
    if !dropped.isEmpty { changes["drop"] = .array(dropped.map { .string($0) }) }
    return changes
  }

  /// These settings with the changes of an earlier run; nil when the changes are malformed.
  func applying(_ changes: JSONObject) -> ProjectConfiguration? {
    var record = record
    for name in changes["drop"]?.array ?? [] { name.string.map { record[$0] = nil } }
    for (name, value) in changes["set"]?.object?.entries ?? [] { record[name] = value }
    // Calls cannot change id and faults, so those stay.
    var changed = self
    return changed.takeRecord(record) ? changed : nil
  }
}
