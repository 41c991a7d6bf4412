internal import System

extension FaultPlan {
  private static let keys = ["seed", "faults"]

  /// Reads `{ seed = …, faults = { … } }`, or a bare list of faults.
  init(json: JSON) throws(ConfigurationError) {
    if case .array(let items) = json {
      faults = try Self.read(items)
      return
    }
    let reader = try ConfigurationReader(json, at: [], known: Self.keys)
    faults = try Self.read(try reader.array("faults") ?? [])
    seed = try Self.seed(reader.value("seed"))
  }

  private static func read(_ items: [JSON]) throws(ConfigurationError) -> [Fault] {
    var faults: [Fault] = []
    for (index, item) in items.enumerated() {
      faults.append(try Fault(json: item, at: ["faults", String(index + 1)]))
    }
    return faults
  }

  private static func seed(_ json: JSON?) throws(ConfigurationError) -> UInt64 {
    guard let json else { return 0 }
    if let number = json.integer, number >= 0 { return UInt64(number) }
    if let text = json.string, let number = UInt64(text) { return number }
    throw ConfigurationError(path: ["seed"], message: "must be a whole number from 0 on")
  }
}
