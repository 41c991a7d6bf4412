internal import System

extension ProjectConfiguration {
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
  private mutating func take(_ record: JSONObject) -> Bool {
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
    return changed.take(record) ? changed : nil
  }
}
