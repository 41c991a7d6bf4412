import System

/// One call that changes an account, as recorded in an intent.
enum Change: Sendable {
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
  /// The step's number within its row, from 1.
  var step: Int
  /// The change that the call makes.
  var change: Change
  /// The whole account from the backend before the call, including the password hash; nil when there was none.
  var before: JSON?
  /// The time in milliseconds since 1970.
  var at: Int64
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
