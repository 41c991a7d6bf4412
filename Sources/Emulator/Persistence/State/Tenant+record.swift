internal import System

extension Tenant {
  static let deletedRecord: JSONObject = ["deleted": true]

  /// All fields but the id.
  var record: JSONObject {
    var record: JSONObject = ["settings": .object(settings)]
    if !providers.isEmpty {
      let ids = providers.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
      record["providers"] = .array(ids.compactMap { providers[$0].map { .object($0.record) } })
    }
    return record
  }

  init?(id: String, record: JSONObject) {
    guard let settings = record["settings"]?.object else { return nil }
    self.init(id: id, settings: settings)
    for entry in record["providers"]?.array ?? [] {
      guard let provider = entry.object.flatMap(ProviderConfiguration.init(record:)) else {
        return nil
      }
      providers[provider.id] = provider
    }
  }
}
