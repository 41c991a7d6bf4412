import Lua

/// What an argument or an option takes, as far as it matters for secrets.
struct SecretPlace: Sendable {
  /// Whether a string there is a secret.
  private(set) var isSecret = false
  /// Whether a string there may be read by everybody.
  private(set) var isText = false
  /// Whether it takes tables with whatever fields.
  private var isOpen = false
  private var fields: [String: SecretPlace] = [:]
  /// Of the items of a list, and of the values of a table with any keys.
  private var items: [SecretPlace] = []

  /// A place for a string, or for a table with whatever fields.
  init(isSecret: Bool) {
    self.isSecret = isSecret
    isText = !isSecret
    isOpen = !isSecret
  }

  /// The place that a declaration describes.
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

  /// What a declaration says about something that stands in an argument.
  enum Verdict {
    /// It is a secret.
    case secret
    /// It may be shown.
    case open
    /// Nothing of the kind is declared there, such as a misspelt option.
    case undeclared
  }

  /// What is declared under keys from the outermost to the innermost; nil stands for an item without a key.
  func verdict(at path: ArraySlice<String?>) -> Verdict {
    guard let key = path.first else { return isSecret ? .secret : isText ? .open : .undeclared }
    let rest = path.dropFirst()
    var verdicts = items.map { $0.verdict(at: rest) }
    if let key, let field = fields[key] {
      // Whatever is given to an option that takes no secret may be shown.
      let verdict = field.verdict(at: rest)
      verdicts.append(verdict == .undeclared && rest.isEmpty ? .open : verdict)
    }
    if verdicts.contains(.secret) { return .secret }
    return isOpen || verdicts.contains(.open) ? .open : .undeclared
  }

  /// Whether a secret can be given in it, at any depth.
  var holdsSecrets: Bool {
    isSecret || fields.values.contains(where: \.holdsSecrets)
      || items.contains(where: \.holdsSecrets)
  }
}
