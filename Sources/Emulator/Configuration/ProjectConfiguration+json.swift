public import System

extension ProjectConfiguration {
  private static let keys = [
    "id", "apiKey", "oneAccountPerEmail", "enumerationProtection", "identityPlatform",
    "authorizedDomains", "authDomain", "actionUrl", "testPhoneNumbers", "requiresAppCredential",
    "recentLoginMinutes", "passwordMemoryCost", "allowOrigins", "allowServers", "settings",
    "providers", "people", "faults",
  ]

  /// Reads a project file's `project` table.
  ///
  /// An omitted key keeps its default, which for `providers` and `people` is that of the demo project.
  public init(json: JSON) throws(ConfigurationError) {
    let reader = try ConfigurationReader(json, at: [], known: Self.keys)
    self = .demo
    if let id = try reader.string("id") {
      guard Self.isProjectID(id) else {
        throw ConfigurationError(
          path: ["id"], message: "not a project id: \"\(id)\"",
          hint: "use up to 63 lower-case letters, digits and hyphens")
      }
      self.id = id
    }
    apiKey = try reader.string("apiKey").map { Secret($0) }
    oneAccountPerEmail = try reader.bool("oneAccountPerEmail") ?? oneAccountPerEmail
    enumerationProtection = try reader.bool("enumerationProtection") ?? enumerationProtection
    identityPlatform = try reader.bool("identityPlatform") ?? identityPlatform
    if let domains = try reader.strings("authorizedDomains") { authorizedDomains = domains }
    authDomain = try reader.string("authDomain")
    try readActionURL(reader)
    try readTestNumbers(reader)
    requiresAppCredential = try reader.bool("requiresAppCredential") ?? requiresAppCredential
    if let minutes = try reader.integer("recentLoginMinutes", in: 0...525_600) {
      recentLoginMinutes = Int(minutes)
    }
    if let cost = try reader.integer("passwordMemoryCost", in: 1...14) {
      passwordMemoryCost = Int(cost)
    }
    allowedOrigins = try Self.readOrigins("allowOrigins", reader)
    allowedServers = try Self.readOrigins("allowServers", reader)
    if let json = reader.value("faults") { faults = try FaultPlan(json: json) }
    if let providers = reader.value("providers") {
      self.providers = try Self.readProviders(providers)
    }
    if let message = reader.value("settings") { try readSettings(message) }
    if let people = try reader.array("people") {
      self.people = try Self.readPeople(people, providers: self.providers)
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
    for (position, text) in try (reader.strings(key) ?? []).enumerated() {
      do throws(Problem) { try list.add(text) } catch {
        throw ConfigurationError(
          path: [key, String(position + 1)], message: error.message, hint: error.hint)
      }
    }
    return list
  }

  private static func isProjectID(_ id: String) -> Bool {
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
    _ json: JSON
  ) throws(ConfigurationError) -> [String: ProviderConfiguration] {
    let path = ["providers"]
    let object: JSONObject
    switch json {
    case .object(let value): object = value
    case .array(let items) where items.isEmpty: object = JSONObject()
    default: throw ConfigurationError(path: path, message: "expected a table, got \(json.kindName)")
    }
    var providers: [String: ProviderConfiguration] = [:]
    for (id, settings) in object.entries {
      providers[id] = try ProviderConfiguration(id: id, json: settings, at: path + [id])
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
}
