import Encoding
import IdentityToolkit
import Scripting

/// A row with its operations and steps as a person reads them, without secrets.
public struct RowDescription: Sendable {
  private let record: RowRecord
  private let run: BatchRun

  /// Describes a row that was read with its steps.
  public init(_ record: RowRecord, of run: BatchRun) {
    self.record = record
    self.run = run
  }

  /// Several lines.
  public var text: String {
    let row = record.row
    var lines = [
      "row \(row.origin), line \(row.line), key \(PlanFaults.brief(row.key)) of \(run.title)"
    ]
    lines.append("state: \(record.state.rawValue)")
    if let fault = record.fault { lines.append("cause: \(fault.code): \(fault.message.printable)") }
    if let reason = row.reason { lines.append("why: \(reason.printable)") }
    if let input = row.input {
      lines.append("in: \(Self.masked(.object(input), hidden).encoded().printable)")
    }
    switch row.decision {
    case .run(let operations):
      for operation in operations { lines.append("do: \(Self.shown(operation.json))") }
    case .skip: lines.append("the plan skips it")
    case .refuse(let fault):
      lines.append("the plan refuses it: \(fault.code): \(fault.message.printable)")
    }
    for step in record.steps.sorted(by: { $0.intent.step < $1.intent.step }) {
      lines += Self.lines(of: step)
    }
    if record.state == .done, record.steps.isEmpty {
      lines.append("no call was made: everything was in place already")
    }
    return lines.map { "\($0)\n" }.joined()
  }

  private static func lines(of step: StepRecord) -> [String] {
    let intent = step.intent
    var lines = ["step \(intent.step): \(shown(intent.change.json))"]
    lines.append("  intended \(Timestamp.text(milliseconds: intent.at))")
    if let outcome = step.outcome {
      var line = "  \(outcome.result.rawValue) \(Timestamp.text(milliseconds: outcome.at))"
      line += " after \(outcome.attempts) \(outcome.attempts == 1 ? "call" : "calls")"
      line += " of \(outcome.microseconds / 1000) ms"
      if let fault = outcome.fault { line += ": \(fault.code): \(fault.message.printable)" }
      lines.append(line)
    } else {
      lines.append("  in doubt: the runner ended before it knew; the next run looks")
    }
    if let before = intent.before {
      lines.append("  before: \(shown(before))")
    } else if intent.change.uid != nil {
      lines.append("  before: there was no account")
    }
    return lines
  }

  private static func shown(_ json: JSON) -> String { masked(json).encoded().printable }

  /// What the name of a column with secrets has in it, in whatever language a table was made.
  private static let parts = ["pass", "hash", "salt", "secret", "token"]

  private static func isSecret(_ name: String) -> Bool {
    let lower = name.lowercased()
    return SecretNames.holdSecrets(name) || parts.contains { lower.contains($0) }
  }

  /// The texts that the operations and steps have under names of secrets, wherever the input has them.
  private var hidden: Set<String> {
    var found: Set<String> = []
    if case .run(let operations) = record.row.decision {
      for operation in operations { Self.gather(operation.json, false, &found) }
    }
    for step in record.steps { Self.gather(step.intent.change.json, false, &found) }
    return found
  }

  private static func gather(_ json: JSON, _ isSecret: Bool, _ found: inout Set<String>) {
    switch json {
    case .string(let text): if isSecret, !text.isEmpty { found.insert(text) }
    case .array(let items): for item in items { gather(item, isSecret, &found) }
    case .object(let object):
      for (name, value) in object.entries {
        gather(value, isSecret || Self.isSecret(name), &found)
      }
    default: break
    }
  }

  /// The same value with a mask in the place of every secret, and of every text that is one elsewhere.
  private static func masked(_ json: JSON, _ hidden: Set<String> = []) -> JSON {
    switch json {
    case .string(let text) where hidden.contains(text): "[secret]"
    case .array(let items): .array(items.map { masked($0, hidden) })
    case .object(let object):
      .object(
        JSONObject(
          object.entries.map { name, value in
            (name, isSecret(name) && !value.isNull ? "[secret]" : masked(value, hidden))
          }))
    default: json
    }
  }
}
