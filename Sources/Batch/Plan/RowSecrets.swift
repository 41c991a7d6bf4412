import Encoding
import IdentityToolkit

/// The secrets of one row: what its columns, operations and steps hold under names of secrets.
///
/// A script can put them anywhere: into a cause, into a reason, into another member of an operation.
struct RowSecrets {
  /// What the name of a column with secrets has in it, in whatever language a table was made.
  private static let parts = ["pass", "hash", "salt", "secret", "token"]
  /// A shorter number counts something; longer ones are PINs and codes.
  private static let shortestNumber = 4

  private let key: String
  /// Texts that are hidden where they are a whole value.
  private var values: Set<String> = []
  /// Those that are hidden inside of other texts as well; nil when there are none.
  private var book: SecretBook?

  /// Reads a row, and what was done with it so far.
  init(_ row: PlannedRow, steps: [StepRecord] = []) {
    key = row.key
    if let input = row.input { add(.object(input), under: nil) }
    if case .run(let operations) = row.decision {
      for operation in operations { add(operation.json, under: nil) }
    }
    for step in steps { add(step.intent.change.json, under: nil) }
  }

  /// Whether what stands under a name is a secret.
  static func isSecret(_ name: String) -> Bool {
    let lower = name.lowercased()
    return SecretNames.holdSecrets(name) || parts.contains { lower.contains($0) }
  }

  private mutating func add(_ json: JSON, under name: String?) {
    switch json {
    case .string(let text): if let name { add(text, under: name) }
    case .integer, .number:
      let text = json.encoded()
      if let name, text.utf8.count >= Self.shortestNumber { add(text, under: name) }
    case .array(let items): for item in items { add(item, under: name) }
    case .object(let object):
      for (own, value) in object.entries { add(value, under: Self.isSecret(own) ? own : name) }
    default: break
    }
  }

  private mutating func add(_ text: String, under name: String) {
    guard !text.isEmpty else { return }
    values.insert(text)
    // The key names the row wherever it is shown, also when its column is called `key`.
    guard text != key, SecretNames.isSecret(text, under: name) else { return }
    let book = book ?? SecretBook()
    book.add([text, text.lowercased(), text.uppercased()])
    self.book = book
  }

  /// A text without the row's secrets.
  func clean(_ text: String) -> String { book?.clean(text) ?? text }

  /// A fault without the row's secrets.
  func clean(_ fault: RowFault) -> RowFault { RowFault(clean(fault.code), clean(fault.message)) }

  /// The same value with a mask in the place of every secret, and of every text that has one in it.
  func masked(_ json: JSON) -> JSON {
    switch json {
    case .string(let text): .string(values.contains(text) ? Redaction.mask : clean(text))
    case .integer, .number: values.contains(json.encoded()) ? .string(Redaction.mask) : json
    case .array(let items): .array(items.map(masked))
    case .object(let object):
      .object(
        JSONObject(
          object.entries.map { name, value in
            (name, Self.isSecret(name) && !value.isNull ? .string(Redaction.mask) : masked(value))
          }))
    default: json
    }
  }
}

extension PlannedRow {
  /// The row with a cause or reason that shows none of its secrets.
  var withCleanCause: PlannedRow {
    var row = self
    if case .refuse(let fault) = decision {
      row.decision = .refuse(RowSecrets(self).clean(fault))
    }
    row.reason = reason.map { RowSecrets(self).clean($0) }
    return row
  }
}
