import System

/// One call that changes an account, as recorded in an intent.
indirect enum Change: Sendable {
  /// `accounts:update` of one account; `body` has wire names and omits `localId`.
  case update(uid: String, body: JSONObject)
  /// `accounts:batchCreate` of one account with wire names.
  ///
  /// `hash` has the parameters of the password hash; `overwrites` replaces an account with the same id.
  case create(account: JSONObject, hash: JSONObject?, overwrites: Bool)
  /// `accounts:batchDelete` of one account.
  case delete(uid: String)
  /// Signs in with a custom token and links a credential, as the user would.
  case linkAsUser(uid: String, credential: JSONObject)
  /// A custom operation of the script.
  case custom(name: String, uid: String?, arguments: JSON)

  /// The account it changes; nil for a custom operation without one.
  var uid: String? {
    switch self {
    case .update(let uid, _), .delete(let uid), .linkAsUser(let uid, _): uid
    case .create(let account, _, _): account["localId"]?.string
    case .custom(_, let uid, _): uid
    }
  }
}

/// The record written before a call is made.
struct StepIntent: Sendable {
  /// The row number.
  var row: Int64
  /// The step's number within its row, from 1; negative for a step that takes another one back.
  var step: Int
  /// The change that the call makes.
  var change: Change
  /// The whole account from the backend before the call, including the password hash; nil when there was none.
  var before: JSON?
  /// The time in milliseconds since 1970.
  var at: Int64
}

extension StepIntent {
  /// How many steps may take one step back.
  private static let mostParts = 1000

  /// The number of a step that takes another one back; these numbers ascend in the order of the steps.
  ///
  /// - Parameter part: The position among the steps that take the same step back, from 0.
  static func number(takingBack step: Int, part: Int) -> Int { part - step * mostParts }

  /// The number of the step that this one takes back; nil if it takes none back.
  static func stepTakenBack(by number: Int) -> Int? {
    number < 0 ? (mostParts - 1 - number) / mostParts : nil
  }
}

/// The result of a step.
struct StepOutcome: Sendable {
  /// How a step ended.
  enum Result: String, Sendable, CaseIterable {
    /// The call succeeded.
    case done
    /// The call's response was lost, but a lookup showed that the change is in effect.
    case reconciled
    /// The account was already in the target state, so no call was made.
    case already
    /// The step failed; with the code `inDoubt` it is unknown whether the change is in effect.
    case failed
    /// The step was done, and then taken back, because a later step of the row was refused.
    case takenBack
  }

  /// The row's number.
  var row: Int64
  /// The step's number within its row.
  var step: Int
  /// How the step ended.
  var result: Result
  /// The error of a failed step.
  var fault: RowFailure?
  /// The time in milliseconds since 1970.
  var at: Int64
  /// The total duration of its calls in microseconds, without waits between them.
  var microseconds: Int64
  /// The number of calls made.
  var attempts: Int
}

/// A step in the journal.
struct StepRecord: Sendable {
  /// The recorded intent.
  var intent: StepIntent
  /// The recorded outcome; nil when the step is in doubt.
  var outcome: StepOutcome?
}

extension Change {
  /// Reads a change from a journal: an object whose `change` names the case.
  ///
  /// Throws an error with the code `invalidRecord` if the record is not valid.
  init(json: JSON) throws(RowFailure) {
    do throws(RowFailure) {
      self = try Self.read(json.object ?? [:])
    } catch {
      throw RowFailure("invalidRecord", error.message)
    }
  }

  private static func read(_ members: JSONObject) throws(RowFailure) -> Change {
    let name = members["change"]?.string ?? ""
    func reader(_ names: [String]) throws(RowFailure) -> MemberReader {
      try MemberReader(members, at: ["change '\(name)'"], names: ["change"] + names)
    }
    switch name {
    case "update":
      let reader = try reader(["uid", "body"])
      return .update(uid: try reader.text("uid"), body: try reader.object("body"))
    case "create":
      let reader = try reader(["account", "hash", "overwrites"])
      return .create(
        account: try reader.object("account"), hash: try reader.objectIfAny("hash"),
        overwrites: try reader.boolIfAny("overwrites") ?? false)
    case "delete": return .delete(uid: try reader(["uid"]).text("uid"))
    case "linkAsUser":
      let reader = try reader(["uid", "credential"])
      return .linkAsUser(uid: try reader.text("uid"), credential: try reader.object("credential"))
    case "custom":
      let reader = try reader(["name", "uid", "arguments"])
      return .custom(
        name: try reader.text("name"), uid: try reader.textIfAny("uid"),
        arguments: reader.value("arguments") ?? .null)
    default: throw RowFailure("invalidRecord", "a change of a kind that is not known")
    }
  }

  /// The change in the form of a journal record.
  var json: JSON {
    switch self {
    case .update(let uid, let body):
      return ["change": "update", "uid": .string(uid), "body": .object(body)]
    case .create(let account, let hash, let overwrites):
      var object: JSONObject = ["change": "create", "account": .object(account)]
      object["hash"] = hash.map(JSON.object)
      object["overwrites"] = .bool(overwrites)
      return .object(object)
    case .delete(let uid): return ["change": "delete", "uid": .string(uid)]
    case .linkAsUser(let uid, let credential):
      return [
        "change": "linkAsUser", "uid": .string(uid), "credential": .object(credential),
      ]
    case .custom(let name, let uid, let arguments):
      var object: JSONObject = ["change": "custom", "name": .string(name)]
      object["uid"] = uid.map(JSON.string)
      if !arguments.isNull { object["arguments"] = arguments }
      return .object(object)
    }
  }
}
