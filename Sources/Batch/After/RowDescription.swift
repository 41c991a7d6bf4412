import Encoding
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
    if let input = row.input { lines.append("in: \(Self.shown(.object(input)))") }
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

  private static func shown(_ json: JSON) -> String { withoutSecrets(json).encoded().printable }

  /// Members whose values nobody should see on a screen.
  private static let secrets: Set<String> = [
    "password", "rawPassword", "passwordHash", "salt", "passwordSalt", "idToken", "accessToken",
    "refreshToken", "pendingToken", "oauthAccessToken", "oauthIdToken", "oauthTokenSecret", "nonce",
    "signerKey", "key", "saltSeparator", "sharedSecretKey", "secret", "token", "oobCode", "code",
  ]

  /// The same value with a mask in the place of every secret.
  static func withoutSecrets(_ json: JSON) -> JSON {
    switch json {
    case .array(let items): .array(items.map(withoutSecrets))
    case .object(let object):
      .object(
        JSONObject(
          object.entries.map { name, value in
            let isSecret = secrets.contains { $0.lowercased() == name.lowercased() }
            return (name, isSecret && !value.isNull ? "[secret]" : withoutSecrets(value))
          }))
    default: json
    }
  }
}
