public import Encoding

/// One call that changes something: what the journal knows an intent by.
public enum Change: Sendable {
  /// `accounts:update` of one account, with the body's members but `localId`, in the wire's names.
  case update(uid: String, body: JSONObject)
  /// `accounts:batchCreate` of one account in the wire's names; `hash` has the members that say how
  /// passwords were hashed. `overwrites` takes the place of an account with the same id.
  case create(account: JSONObject, hash: JSONObject?, overwrites: Bool)
  /// `accounts:batchDelete` of one account.
  case delete(uid: String)
  /// Signing in by custom token and linking a credential, which is the person's own way.
  case linkAsUser(uid: String, credential: JSONObject)
  /// A function of the script.
  case custom(name: String, uid: String?, arguments: JSON)

  /// The account it changes; nil for an operation of a script that names none.
  public var uid: String? {
    switch self {
    case .update(let uid, _), .delete(let uid), .linkAsUser(let uid, _): uid
    case .create(let account, _, _): account["localId"]?.string
    case .custom(_, let uid, _): uid
    }
  }
}

/// What is durable before a call is made.
public struct StepIntent: Sendable {
  /// The row's number.
  public var row: Int64
  /// The step's number within its row, from 1.
  public var step: Int
  /// The call.
  public var change: Change
  /// The whole account as the backend told it before, password hash included; nil when there was none.
  public var before: JSON?
  /// When, in milliseconds since 1970.
  public var at: Int64

  /// Describes an intent.
  public init(row: Int64, step: Int, change: Change, before: JSON?, at: Int64) {
    self.row = row
    self.step = step
    self.change = change
    self.before = before
    self.at = at
  }
}

/// What became of a step.
public struct StepOutcome: Sendable {
  /// How it ended.
  public enum Result: String, Sendable, CaseIterable {
    /// The call was answered well.
    case done
    /// No answer came, and looking the account up showed that it was done.
    case reconciled
    /// The account was in the wanted state already, so that no call was made.
    case already
    /// The backend refused it: nothing was changed.
    case failed
  }

  /// The row's number.
  public var row: Int64
  /// The step's number within its row.
  public var step: Int
  /// How it ended.
  public var result: Result
  /// Why it failed.
  public var fault: RowFault?
  /// When, in milliseconds since 1970.
  public var at: Int64
  /// How long its calls took, in microseconds, without waiting between them.
  public var microseconds: Int64
  /// How many calls were made.
  public var attempts: Int

  /// Describes an outcome.
  public init(
    row: Int64, step: Int, result: Result, fault: RowFault? = nil, at: Int64, microseconds: Int64,
    attempts: Int
  ) {
    self.row = row
    self.step = step
    self.result = result
    self.fault = fault
    self.at = at
    self.microseconds = microseconds
    self.attempts = attempts
  }
}

/// A step as the journal has it.
public struct StepRecord: Sendable {
  /// What was intended.
  public var intent: StepIntent
  /// What became of it; nil when it is in doubt.
  public var outcome: StepOutcome?

  /// Describes a step.
  public init(intent: StepIntent, outcome: StepOutcome?) {
    self.intent = intent
    self.outcome = outcome
  }
}
