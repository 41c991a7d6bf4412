import Host
import OIDC
import System

/// The lines that a worker writes for an engine, each a JSON object.
enum WorkLine {
  /// The version of the protocol; docs/guides/engines/README.md describes it.
  static let version: Int64 = 1

  /// The types of lines that an engine keeps.
  static let records: Set = ["intent", "outcome", "end", "forget", "released"]

  /// A row as an engine delivers it, but for its records; `sum` is its checksum.
  static func task(_ row: PlannedRow, group: String, after: [Int64] = []) -> JSONObject {
    var task: JSONObject = [
      "type": "row", "row": .integer(row.number), "group": .string(group),
    ]
    if !after.isEmpty { task["after"] = .array(after.map(JSON.integer)) }
    task["plan"] = row.json
    task["sum"] = .string(sum(ofTask: task))
    return task
  }

  /// The checksum of a task, which does not depend on the order of members.
  static func sum(ofTask task: JSONObject) -> String {
    var members = JSONObject()
    for name in ["row", "group", "after", "plan"] { members[name] = task[name] }
    return sum(JSON.object(members).encodedBytes(sortedKeys: true))
  }

  /// A checksum, in hexadecimal.
  static func sum(_ bytes: [UInt8]) -> String {
    var hash = StableHash()
    bytes.withUnsafeBufferPointer { hash.add($0) }
    return hash.text()
  }

  static func hello(_ hello: WorkHello, isUndo: Bool, isEncrypted: Bool) -> JSON {
    var object: JSONObject = [
      "type": "hello", "protocol": .integer(version), "luath": .string(Version.current),
      "project": .string(hello.header.projectID), "undo": .bool(isUndo),
      "encrypted": .bool(isEncrypted),
    ]
    object["tenant"] = hello.header.tenantID.map(JSON.string)
    object["digest"] = hello.digest.map(JSON.string)
    return .object(object)
  }

  /// An intent, which waits for its acknowledgement.
  static func intent(
    _ intent: StepIntent, number: Int64, run: Int64, _ codec: JournalCodec
  ) -> JSON {
    let key = RowKey(run: run, number: intent.row)
    var object: JSONObject = [
      "type": "intent", "seq": .integer(number), "row": .integer(intent.row),
      "step": .integer(Int64(intent.step)),
      "change": .string(codec.text(intent.change.json, .change, of: key, step: intent.step)),
    ]
    object["before"] = intent.before.map {
      .string(codec.text($0, .before, of: key, step: intent.step))
    }
    object["at"] = .integer(intent.at)
    return .object(object)
  }

  /// An outcome, with the row's end if it has come.
  static func outcome(
    _ outcome: StepOutcome, end: JSON?, run: Int64, _ codec: JournalCodec
  ) -> JSON {
    let key = RowKey(run: run, number: outcome.row)
    var object: JSONObject = [
      "type": "outcome", "row": .integer(outcome.row), "step": .integer(Int64(outcome.step)),
      "result": .string(outcome.result.rawValue), "at": .integer(outcome.at),
      "microseconds": .integer(outcome.microseconds),
      "attempts": .integer(Int64(outcome.attempts)),
    ]
    object["fault"] = outcome.fault.map { codec.json(of: $0, key, step: outcome.step) }
    object["end"] = end
    return .object(object)
  }

  /// The end of a row, as a member of `outcome` and `end`.
  static func end(
    _ state: RowState, _ fault: RowFailure?, of key: RowKey, _ codec: JournalCodec
  ) -> JSON {
    var object: JSONObject = ["state": .string(state.rawValue)]
    object["fault"] = fault.map { codec.json(of: $0, key, step: 0) }
    return .object(object)
  }

  static func end(_ row: Int64, _ end: JSON) -> JSON {
    ["type": "end", "row": .integer(row), "end": end]
  }

  /// The steps so far no longer count, because the row begins anew; it waits for its acknowledgement.
  static func forget(_ row: Int64, number: Int64) -> JSON {
    ["type": "forget", "seq": .integer(number), "row": .integer(row)]
  }

  /// The row was not ended, and has to be delivered again.
  static func released(_ row: Int64) -> JSON { ["type": "released", "row": .integer(row)] }

  /// The row cannot be worked on as it was delivered.
  static func refused(_ row: Int64, _ fault: RowFailure) -> JSON {
    [
      "type": "refused", "row": .integer(row), "code": .string(fault.code),
      "message": .string(fault.message),
    ]
  }

  static func heartbeat(_ rows: [Int64]) -> JSON {
    ["type": "heartbeat", "rows": .array(rows.map(JSON.integer))]
  }

  /// Asks whether the rows are still this process's; it waits for its acknowledgement.
  static func confirm(_ rows: [Int64], number: Int64) -> JSON {
    [
      "type": "confirm", "seq": .integer(number), "rows": .array(rows.map(JSON.integer)),
    ]
  }

  /// Why the process ends.
  static func error(_ failure: CommandFailure) -> JSON {
    [
      "type": "error", "message": .string(failure.message.printable),
      "hint": .string(failure.hint ?? ""), "exit": .integer(Int64(failure.code.rawValue)),
    ]
  }
}

/// What an engine has recorded of a row: the worker's lines about it, in their order.
struct WorkHistory: Sendable {
  /// The steps, in the order of their numbers.
  private(set) var steps: [StepRecord] = []
  /// The row's end as its line has it; nil if the row has not ended.
  private(set) var end: JSON?
  /// The steps that needed no call, which have no intent.
  private var idle: Set<Int> = []

  /// No records.
  init() {}

  /// Reads records.
  ///
  /// - Throws: A fault with the code `damagedRecord` if one is not as it was written, or one is missing, as far as the
  ///   others show that.
  init(_ records: [JSON], of key: RowKey, _ codec: JournalCodec) throws(RowFailure) {
    for (index, record) in records.enumerated() {
      do throws(RowFailure) {
        try add(record, key, codec)
      } catch {
        throw RowFailure("damagedRecord", "record \(index + 1): \(error.message)")
      }
    }
    steps.sort { $0.intent.step < $1.intent.step }
    let called = steps.map(\.intent.step).filter { $0 > 0 }
    let known = idle.union(called)
    guard known.count == known.max() ?? 0,
      steps.allSatisfy({ $0.outcome != nil || $0.intent.step < 0 || $0.intent.step == called.last })
    else { throw RowFailure("damagedRecord", "records of a step are missing before a later step") }
  }

  private mutating func add(
    _ record: JSON, _ key: RowKey, _ codec: JournalCodec
  ) throws(RowFailure) {
    let reader = try MemberReader(record.object ?? [:])
    let row: Int64 = try reader.integer("row")
    guard row == key.number else { throw RowFailure("", "it is of row \(row)") }
    let type = try reader.text("type")
    guard !WorkLine.records.contains(type) || codec.isSealed(record, run: key.run) else {
      throw Self.damaged("sum")
    }
    switch type {
    case "intent": try addIntent(reader, key, codec)
    case "outcome": try addOutcome(reader, key, codec)
    case "end": end = try Self.end(reader, key, codec)
    // The backend was down, or the run ended: the row is to be done after all.
    case "released": end = nil
    case "forget":
      steps = []
      idle = []
    case "refused": break
    default: throw RowFailure("", "'\(type)' is no record of a row")
    }
  }

  private mutating func addIntent(
    _ reader: MemberReader, _ key: RowKey, _ codec: JournalCodec
  ) throws(RowFailure) {
    let step: Int = try reader.integer("step")
    guard let json = codec.json(of: try reader.text("change"), .change, key, step: step) else {
      throw Self.damaged("change")
    }
    let before = try reader.textIfAny("before").map { text throws(RowFailure) in
      guard let json = codec.json(of: text, .before, key, step: step) else {
        throw Self.damaged("before")
      }
      return json
    }
    steps.removeAll { $0.intent.step == step }
    steps.append(
      StepRecord(
        intent: StepIntent(
          row: key.number, step: step, change: try Change(json: json), before: before,
          at: try reader.integer("at"))))
    end = nil
  }

  private mutating func addOutcome(
    _ reader: MemberReader, _ key: RowKey, _ codec: JournalCodec
  ) throws(RowFailure) {
    let step: Int = try reader.integer("step")
    guard let result = StepOutcome.Result(rawValue: try reader.text("result")) else {
      throw RowFailure("", "it has no result that is known")
    }
    let outcome = StepOutcome(
      row: key.number, step: step, result: result,
      fault: try codec.fault(of: reader.value("fault"), key, step: step),
      at: try reader.integer("at"), microseconds: try reader.integer("microseconds"),
      attempts: try reader.integer("attempts"))
    if let index = steps.firstIndex(where: { $0.intent.step == step }) {
      steps[index].outcome = outcome
    } else if result == .already || result == .failed {
      // A step that needed no call says nothing of later deliveries.
      if step > 0 { idle.insert(step) }
    } else {
      throw RowFailure("", "the intent of its step is missing")
    }
    end = nil
    if reader.value("end") != nil { end = try Self.end(reader, key, codec) }
  }

  private static func end(
    _ reader: MemberReader, _ key: RowKey, _ codec: JournalCodec
  ) throws(RowFailure) -> JSON {
    let end = try reader.required("end", reader.objectIfAny("end"))
    guard RowState(rawValue: end["state"]?.string ?? "") != nil else {
      throw RowFailure("", "it ends the row in no state that is known")
    }
    _ = try codec.fault(of: end["fault"], key, step: 0)
    return .object(end)
  }

  fileprivate static func damaged(_ member: String) -> RowFailure {
    let what = member == "sum" ? "it" : "its '\(member)'"
    return RowFailure(
      "",
      "\(what) was changed after it was written, or was written with another --journal-key or with none"
    )
  }
}

extension JournalCodec {
  /// A record with `sum`, the checksum of its members; other lines are unchanged.
  ///
  /// The sum does not depend on the order of members. With a key, nobody without it can make one.
  func sealed(_ line: JSON, run: Int64) -> JSON {
    guard var object = line.object, WorkLine.records.contains(object["type"]?.string ?? "") else {
      return line
    }
    let text = Self.text(object, run)
    object["sum"] = .string(
      key.map { Base64.encode($0.cipher.seal([], bound: text)) } ?? WorkLine.sum(text))
    return .object(object)
  }

  /// Whether a record is as `sealed` has returned it.
  fileprivate func isSealed(_ record: JSON, run: Int64) -> Bool {
    guard var object = record.object, let sum = object["sum"]?.string else { return false }
    object["sum"] = nil
    let text = Self.text(object, run)
    guard let key else { return sum == WorkLine.sum(text) }
    return Base64.decodeAnyAlphabet(sum).flatMap { key.cipher.open($0, bound: text) } == []
  }

  private static func text(_ members: JSONObject, _ run: Int64) -> [UInt8] {
    Array("\(run)|record|".utf8) + JSON.object(members).encodedBytes(sortedKeys: true)
  }

  /// A value as text: JSON with its checksum, or encrypted in base 64.
  fileprivate func text(_ json: JSON, _ column: Column, of key: RowKey, step: Int) -> String {
    let bytes = encode(json, column, of: key, step: step)
    return self.key == nil ? String(decoding: bytes, as: UTF8.self) : Base64.encode(bytes)
  }

  /// The value of a text; nil if it is not the one written in this place.
  fileprivate func json(
    of text: String, _ column: Column, _ row: RowKey, step: Int
  ) -> JSON? {
    guard key == nil else {
      return Base64.decodeAnyAlphabet(text).flatMap { decode($0, column, of: row, step: step) }
    }
    // Only the journals of older versions have values without a checksum.
    guard text.utf8.last.map({ $0 != UInt8(ascii: "}") }) ?? false else { return nil }
    return decode(Array(text.utf8), column, of: row, step: step)
  }

  /// An error as JSON; with a key, its message is encrypted.
  fileprivate func json(of fault: RowFailure, _ row: RowKey, step: Int) -> JSON {
    RowFailure(fault.code, encode(fault.message, of: row, step: step)).json
  }

  fileprivate func fault(
    of json: JSON?, _ row: RowKey, step: Int
  ) throws(RowFailure) -> RowFailure? {
    guard let json, !json.isNull else { return nil }
    let stored = try RowFailure(json: json)
    guard let message = decode(stored.message, of: row, step: step) else {
      throw WorkHistory.damaged("fault")
    }
    return RowFailure(stored.code, message)
  }
}
