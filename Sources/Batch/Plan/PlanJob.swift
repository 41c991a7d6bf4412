import Client
import Glibc
import HTTP
import Host
import IdentityToolkit
import OIDC
import System

/// Creates a plan file: reads rows, runs the script's `plan` on a separate thread, and writes the rows.
struct PlanJob: Sendable {
  /// The result of planning.
  struct Outcome: Sendable {
    /// The counts.
    let summary: PlanSummary
    /// SHA-256 of the plan file, in hexadecimal; nil when there were no rows and so no file.
    let digest: String?
  }

  private let request: PlanRequest
  private let input: String
  private let output: String
  private let open: @Sendable () throws(BatchProblem) -> any RowReader

  /// Creates a job; `run` starts it.
  ///
  /// - Parameters:
  ///   - input: The input's name for the plan's header, `-` for standard input.
  ///   - output: The path of the plan.
  ///   - open: Opens the input.
  init(
    _ request: PlanRequest, input: String, output: String,
    open: @escaping @Sendable () throws(BatchProblem) -> any RowReader
  ) {
    self.request = request
    self.input = input
    self.output = output
    self.open = open
  }

  /// Makes the plan; on failure no file remains.
  func run(_ progress: PlanProgress) async throws(BatchProblem) -> Outcome {
    let loop: EventLoop
    do throws(HTTPError) {
      loop = try EventLoop(name: "plan")
      try loop.start()
    } catch {
      throw BatchProblem(.unavailable, error.message, hint: error.hint)
    }
    let result = await LoopActor(loop).run { actor in await make(progress, actor) }
    loop.stop()
    loop.join()
    return try result.get()
  }

  private func make(
    _ progress: PlanProgress, _ actor: isolated LoopActor
  ) async -> Result<Outcome, BatchProblem> {
    do throws(BatchProblem) {
      let reader = try open()
      let recorder = try PlanRecorder(
        path: output, header: header(columns: reader.columns), progress: progress)
      let planner = Planner(
        request, reader: reader, actor: actor, progress: progress, sink: recorder)
      do throws(BatchProblem) {
        try await planner.run()
        let (summary, plan) = try await recorder.finish()
        return .success(Outcome(summary: summary, digest: plan?.digest))
      } catch {
        await recorder.abandon()
        throw error
      }
    } catch {
      return .failure(error)
    }
  }

  private func header(columns: [String]) -> PlanHeader {
    PlanHeader(
      projectID: request.context.target.projectID, tenantID: request.tenantID,
      script: request.script.name, scriptDigest: request.scriptDigest, input: input,
      columns: columns, made: Timestamp.text(milliseconds: Timestamp.now / 1000 * 1000),
      sample: request.sample)
  }
}

/// A row that is being planned, with the results of its lookups.
final class OpenRow {
  let line: Int64
  let fields: JSONObject?
  var key: String?
  var claims: [PlanClaim] = []
  /// The accounts found so far, by identifier.
  private(set) var known: [AccountKey: [UserRecord]] = [:]
  /// E-mail addresses that several accounts have, with the uids of these accounts.
  private(set) var sharedEmails: [(String, [String])] = []
  /// Incremented on each restart, so that the results of an earlier attempt's lookups are discarded.
  private(set) var attempt = 0
  var isOver = false

  init(line: Int64, fields: JSONObject?) {
    self.line = line
    self.fields = fields
  }

  var isReadable: Bool { fields != nil }

  func reset() {
    attempt += 1
    known = [:]
    sharedEmails = []
    key = nil
  }

  /// Stores the result of a lookup, also under the uid and identities of the accounts found.
  func learn(_ identifier: UserIdentifier, _ users: [UserRecord]) {
    known[AccountKey(identifier)] = users
    if case .email(let email) = identifier, users.count > 1 {
      sharedEmails.append((email, users.map(\.uid)))
    }
    for user in users {
      known[AccountKey(.uid(user.uid))] = [user]
      for info in user.providerData {
        known[AccountKey(.provider(id: info.providerID, uid: info.uid))] = [user]
      }
    }
  }
}

/// A ring of values for rows with numbers close together, with access by index.
struct RowWindow<Value> {
  private var slots: [(number: Int64, value: Value)?]
  private(set) var count = 0

  /// Creates a window for numbers that are less than `width` apart.
  init(width: Int64) {
    slots = Array(repeating: nil, count: Int(width))
  }

  var isEmpty: Bool { count == 0 }

  /// The numbers that have a value, in ascending order.
  var numbers: [Int64] { slots.compactMap { $0?.number }.sorted() }

  /// The value of a row; set it to nil to remove it.
  subscript(number: Int64) -> Value? {
    get {
      guard let slot = slots[place(of: number)], slot.number == number else { return nil }
      return slot.value
    }
    set {
      let place = place(of: number)
      let known = slots[place].map { $0.number == number } ?? false
      precondition(known || slots[place] == nil || newValue == nil, "rows are too far apart")
      count += (newValue == nil ? 0 : 1) - (known ? 1 : 0)
      if newValue != nil || known { slots[place] = newValue.map { (number, $0) } }
    }
  }

  private func place(of number: Int64) -> Int { Int(number % Int64(slots.count)) }
}

/// The settings for making a plan.
struct PlanRequest: Sendable {
  /// The script that plans each row.
  var script: Script
  /// SHA-256 of the script's file, in hexadecimal.
  var scriptDigest: String
  /// The environment of the script; `init` makes it read-only, so that planning cannot change accounts.
  var context: ScriptContext
  /// The tenant whose accounts are looked up; nil for the project's own accounts.
  var tenantID: String?
  /// A file of `firebase auth:export` to look accounts up in, instead of the backend.
  var accountsPath: String?
  /// The maximum number of rows to plan.
  var sample: Int64?
  /// The time limit for the plan of one row, in seconds: for waiting in total, and for computing without a yield.
  var secondsPerRow = 30
  /// How many rows are planned concurrently.
  var workers = 512
  /// Called when nothing but the end of the process can stop a row.
  var stuck: @Sendable () -> Void = {}

  /// Creates a request with a read-only context.
  ///
  /// - Parameter file: The bytes of the script's file, if `script` was made from one; the digest is of these.
  init(script: Script, file: [UInt8]? = nil, context: ScriptContext) {
    self.script = script
    scriptDigest = Hex.encode(Digest.sha256(file ?? script.text))
    self.context = context
    self.context.isReadOnly = true
  }
}

extension PlanHeader {
  /// Whether the plan was made with this script text.
  func isMade(by script: [UInt8]) -> Bool {
    Hex.encode(Digest.sha256(script)) == scriptDigest
  }
}
