/// The properties that all event files of one run share.
struct RunTraits {
  private typealias Trait = (name: String, value: String)

  /// Properties that must be equal in all shards of a run.
  private let firm: [Trait]
  /// Properties that may differ, as in a shard that ran again or on another machine.
  private let loose: [Trait]

  init(_ start: RunStart) {
    var firm = [
      ("repeat", "\(start.repeats)"),
      ("target", start.target.isEmulated ? "an emulator" : "a real project"),
    ]
    if let shard = start.shard { firm.append(("shards", "\(shard.count)")) }
    if !Self.hasSeedByChance(start.arguments) { firm.append(("seed", "\(start.seed)")) }
    self.firm = firm
    loose = [
      ("luath", start.luath), ("project", start.target.projectID),
      ("--select", Self.value(of: "--select", in: start.arguments)),
      ("--name", Self.value(of: "--name", in: start.arguments)),
      ("--last-failed", start.arguments.contains("--last-failed") ? "given" : "none"),
      ("shard", start.shard == nil ? "none" : "given"),
    ]
  }

  /// Returns the differences that rule out that both files are shards of one run, as text.
  func contradictions(to other: RunTraits) -> [String] { Self.compare(firm, other.firm) }

  /// Returns all differences, as text.
  func differences(to other: RunTraits) -> [String] {
    Self.compare(firm + loose, other.firm + other.loose)
  }

  private static func compare(_ own: [Trait], _ others: [Trait]) -> [String] {
    own.compactMap { name, value in
      guard let other = others.first(where: { $0.name == name }), other.value != value else {
        return nil
      }
      return "\(name) \(value) instead of \(other.value)"
    }
  }

  /// Whether each machine chose a random seed: `--shuffle` was given without `--seed`.
  private static func hasSeedByChance(_ arguments: [String]) -> Bool {
    arguments.contains("--shuffle")
      && !arguments.contains { $0 == "--seed" || $0.hasPrefix("--seed=") }
  }

  private static func value(of option: String, in arguments: [String]) -> String {
    if let index = arguments.firstIndex(of: option), index + 1 < arguments.count {
      return "'\(arguments[index + 1])'"
    }
    guard let joined = arguments.first(where: { $0.hasPrefix("\(option)=") }) else { return "none" }
    return "'\(joined.dropFirst(option.count + 1))'"
  }
}
