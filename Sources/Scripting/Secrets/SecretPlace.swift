import Lua

/// What an argument or an option takes, as far as it matters for secrets.
struct SecretPlace: Sendable {
  /// Whether a string there is a secret.
  private(set) var isSecret = false
  /// Whether a string there may be read by everybody.
  private(set) var isText = false
  private var fields: [String: SecretPlace] = [:]
  /// Of the items of a list, and of the values of a table with any keys.
  private var items: [SecretPlace] = []

  /// A place for a string.
  init(isSecret: Bool) {
    self.isSecret = isSecret
    isText = !isSecret
  }

  /// The place that a declaration describes.
  init(_ kind: LuaParameter.Kind) {
    switch kind {
    case .secret: isSecret = true
    case .any, .string, .bytes: isText = true
    case .options(let options):
      fields = Dictionary(options.map { ($0.name, SecretPlace($0.kind)) }) { one, _ in one }
    case .list(let item), .map(let item): items = [SecretPlace(item)]
    case .either(let kinds): for kind in kinds { add(SecretPlace(kind)) }
    case .boolean, .integer, .number, .table, .function, .object: break
    }
  }

  private mutating func add(_ other: SecretPlace) {
    isSecret = isSecret || other.isSecret
    isText = isText || other.isText
    fields.merge(other.fields) { one, _ in one }
    items += other.items
  }

  /// Whether a secret can be given in it, at any depth.
  var holdsSecrets: Bool {
    isSecret || fields.values.contains(where: \.holdsSecrets)
      || items.contains(where: \.holdsSecrets)
  }

  /// Whether what stands inside it, under keys from the outermost to the innermost, is a secret.
  ///
  /// - Parameter path: nil for an item without a key.
  func isSecret(at path: ArraySlice<String?>) -> Bool {
    guard let key = path.first else { return isSecret }
    let rest = path.dropFirst()
    if let key, let field = fields[key], field.isSecret(at: rest) { return true }
    return items.contains { $0.isSecret(at: rest) }
  }
}
