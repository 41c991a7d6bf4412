import Lua

/// Which values of a parameter or option are secrets.
struct SecretPlace: Sendable {
  private(set) var isSecret = false
  /// Whether a string there may be shown.
  private(set) var isText = false
  /// Whether it accepts tables with any fields.
  private var isOpen = false
  private var fields: [String: SecretPlace] = [:]
  /// The places for the items of a list or the values of a table with any keys.
  private var items: [SecretPlace] = []

  /// A place for a string, or for a table with any fields.
  init(isSecret: Bool) {
    self.isSecret = isSecret
    isText = !isSecret
    isOpen = !isSecret
  }

  init(_ kind: LuaParameter.Kind) {
    switch kind {
    case .secret: isSecret = true
    case .any:
      isText = true
      isOpen = true
    case .string, .bytes: isText = true
    case .table: isOpen = true
    case .options(let options):
      fields = Dictionary(options.map { ($0.name, SecretPlace($0.kind)) }) { one, _ in one }
    case .list(let item), .map(let item): items = [SecretPlace(item)]
    case .either(let kinds): for kind in kinds { add(SecretPlace(kind)) }
    case .boolean, .integer, .number, .function, .object: break
    }
  }

  private mutating func add(_ other: SecretPlace) {
    isSecret = isSecret || other.isSecret
    isText = isText || other.isText
    isOpen = isOpen || other.isOpen
    fields.merge(other.fields) { one, _ in one }
    items += other.items
  }

  enum Verdict {
    case secret
    case open
    /// The declaration has no such value, for example for a misspelled option.
    case undeclared
  }

  /// The verdict for a path of keys, outermost first; nil is an item without a key.
  func verdict(at path: ArraySlice<String?>) -> Verdict {
    guard let key = path.first else { return isSecret ? .secret : isText ? .open : .undeclared }
    let rest = path.dropFirst()
    var verdicts = items.map { $0.verdict(at: rest) }
    if let key, let field = fields[key] {
      // The value of an option that accepts no secret may be shown.
      let verdict = field.verdict(at: rest)
      verdicts.append(verdict == .undeclared && rest.isEmpty ? .open : verdict)
    }
    if verdicts.contains(.secret) { return .secret }
    return isOpen || verdicts.contains(.open) ? .open : .undeclared
  }

  /// Whether it accepts a secret at any depth.
  var holdsSecrets: Bool {
    isSecret || fields.values.contains(where: \.holdsSecrets)
      || items.contains(where: \.holdsSecrets)
  }
}
