import System
import IdentityToolkit

/// The secrets of one row: the values in columns, operations and steps whose name suggests a secret.
///
/// A script can copy a secret anywhere: into an error, a reason or another member of an operation.
struct RowSecrets {
  /// Shorter numbers are counts; longer ones may be PINs or codes.
  private static let shortestNumber = 4

  private let key: String
  /// Texts to mask where they are a whole value.
  private var values: Set<String> = []
  /// Masks secrets inside other texts as well.
  private let masker = SecretMasker()

  /// Collects the secrets of a row and of its steps so far.
  init(_ row: PlannedRow, steps: [StepRecord] = []) {
    key = row.key
    if let input = row.input { add(.object(input), under: nil) }
    if case .run(let operations) = row.decision {
      for operation in operations { add(operation.json, under: nil) }
    }
    for step in steps { add(step.intent.change.json, under: nil) }
  }

  private mutating func add(_ json: JSON, under name: String?) {
    switch json {
    case .string(let text): if let name { add(text, under: name) }
    case .integer, .number:
      let text = json.encoded()
      if let name, text.utf8.count >= Self.shortestNumber { add(text, under: name) }
    case .array(let items): for item in items { add(item, under: name) }
    case .object(let object):
      for (own, value) in object.entries {
        add(value, under: SecretNames.mayHoldSecrets(own) ? own : name)
      }
    default: break
    }
  }

  private mutating func add(_ text: String, under name: String) {
    guard !text.isEmpty else { return }
    values.insert(text)
    // Never mask the key, which identifies the row in output, even if its column is named `key`.
    let isNumber =
      text.utf8.count >= Self.shortestNumber && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    guard text != key, isNumber || SecretNames.isSecret(text, under: name) else { return }
    masker.add([text, text.lowercased(), text.uppercased()])
  }

  /// The text with the row's secrets masked.
  func clean(_ text: String) -> String { masker.clean(text) }

  func clean(_ fault: RowFailure) -> RowFailure {
    RowFailure(clean(fault.code), clean(fault.message))
  }

  /// The value with every secret masked, also inside other texts.
  func masked(_ json: JSON) -> JSON {
    switch json {
    case .string(let text): .string(values.contains(text) ? Redaction.mask : clean(text))
    case .integer, .number: values.contains(json.encoded()) ? .string(Redaction.mask) : json
    case .array(let items): .array(items.map(masked))
    case .object(let object):
      .object(
        JSONObject(
          object.entries.map { name, value in
            (
              name,
              SecretNames.mayHoldSecrets(name) && !value.isNull
                ? .string(Redaction.mask) : masked(value)
            )
          }))
    default: json
    }
  }
}

extension PlannedRow {
  /// The row with secrets masked in its error and reason.
  var withCleanCause: PlannedRow {
    var row = self
    if case .refuse(let fault) = decision {
      row.decision = .refuse(RowSecrets(self).clean(fault))
    }
    row.reason = reason.map { RowSecrets(self).clean($0) }
    return row
  }
}
