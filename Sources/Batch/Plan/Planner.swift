import Client
import System
import HTTP
import IdentityToolkit
import Host
import Lua
import Synchronization

/// Runs a script's `plan` on the rows of an input, many at the same time, and passes them to the sink in order.
///
/// Create and use it on the thread of its loop.
final class Planner {
  /// The maximum distance between the row read last and the row written next.
  private static let window: Int64 = 8192

  private let request: PlanRequest
  private let reader: any RowReader
  private let actor: LoopActor
  private let sink: any PlanSink
  /// Whether a callback for room in the sink is pending.
  private var awaitsRoom = false
  private let progress: RowProgress
  private var columns: [String] = []
  private var operations: Set<String> = []
  private var open = RowWindow<OpenRow>(width: 2 * window)
  /// Rows to plan again, because another row's timeout stopped the script's state.
  private var again: [Int64] = []
  private var finished = RowWindow<FinishedRow>(width: 2 * window)
  private var lookups: AccountLookups?
  /// Whether each e-mail address has one account; nil until it is known.
  private var oneAccountPerEmail: Bool?
  private var findsAllByEmail = false
  /// The number of the row that is written next.
  private var head: Int64 = 1
  private var read: Int64 = 0
  private var isAtEnd = false
  private var problem: BatchProblem?
  private var ready: [() -> Void] = []

  /// Creates a planner that passes its rows to `sink`.
  init(
    _ request: PlanRequest, reader: any RowReader, actor: LoopActor, progress: RowProgress,
    sink: any PlanSink
  ) {
    self.request = request
    self.reader = reader
    self.actor = actor
    self.progress = progress
    self.sink = sink
  }

  /// Plans all rows.
  ///
  /// - Throws: An error of the plan as a whole; an error of one row only refuses that row.
  func run() async throws(BatchProblem) {
    var isFirst = true
    let exported: ExportedAccounts? =
      if let path = request.accountsPath { try await .open(path: path) } else { nil }
    while true {
      let script = try await BatchScript.open(
        request.script, context: request.context, actor: actor)
      if isFirst { try begin(with: script) }
      isFirst = false
      let isOver = await session(script, exported)
      if let problem { throw problem }
      if isOver { return }
    }
  }

  /// The error of an interrupted plan; safe from any thread.
  nonisolated static func interruption() -> BatchProblem {
    BatchProblem(.unavailable, "interrupted: no plan was made", hint: "run it again")
  }

  private func begin(with script: BatchScript) throws(BatchProblem) {
    columns = script.columns
    operations = script.operations
    try sink.begin(modules: script.modules)
    guard !reader.columns.isEmpty else { return }
    if let column = columns.first(where: { !reader.columns.contains($0) }) {
      script.close()
      let known = reader.columns.map(PlanFaults.brief).joined(separator: ", ")
      let near = nearestName(to: column, among: reader.columns)
      throw BatchProblem(
        .usage, "the input has no column '\(PlanFaults.brief(column))', which the script needs",
        hint: (near.map { "did you mean '\(PlanFaults.brief($0))'? " } ?? "") + "it has \(known)")
    }
  }

  /// Plans rows until all are done or one timed out; returns whether planning is over.
  private func session(_ script: BatchScript, _ exported: ExportedAccounts?) async -> Bool {
    let watchdog = Watchdog(
      script.interpreter,
      overdue: [
        (.seconds(request.secondsPerRow), .stop(.time)), (.seconds(2), .report(request.stuck)),
      ])
    watchdog.watchStretches()
    let isOver = await planRows(script, exported)
    script.interpreter.planning.planner = nil
    lookups = nil
    script.close()
    await watchdog.release()
    return isOver
  }

  private func planRows(_ script: BatchScript, _ exported: ExportedAccounts?) async -> Bool {
    let interpreter = script.interpreter
    do throws(ScriptFailure) {
      let source: any AccountSource
      if let exported {
        source = exported
      } else {
        source = LiveAccounts(try interpreter.administrator(tenantID: request.tenantID))
      }
      findsAllByEmail = source.findsAllByEmail
      lookups = AccountLookups(
        source, begin: { [weak interpreter] in interpreter?.begin($0) },
        pause: { [progress] time in
          let end = ContinuousClock.now + time
          while .now < end, !progress.isCancelled {
            try? await Task.sleep(for: min(.milliseconds(100), end - .now))
          }
          return !progress.isCancelled
        },
        fail: { [weak self] in self?.fail($0) })
    } catch {
      problem = BatchProblem(.unavailable, error, in: nil)
      return true
    }
    guard await learnAddresses(script) else { return true }
    interpreter.planning.planner = self
    interpreter.planning.secondsPerRow = request.secondsPerRow
    let call = await script.plan(workers: request.workers)
    switch call {
    case .returned: break
    case .stopped(.stopped(.time), _):
      return goOn(after: interpreter.planning.stopped)
    case .failed(let failure):
      problem = problem ?? BatchProblem(.notLoaded, failure, in: request.script)
    case .stopped(.stopped(.memory), _):
      problem = BatchProblem(
        .unavailable, "the script takes more memory than is allowed",
        hint: "look for a table that grows with each row")
    case .stopped(.exited, _):
      problem = BatchProblem(
        .notLoaded, "the script called os.exit in plan",
        hint: "return batch.refuse or batch.skip to leave a row out")
    default: problem = problem ?? Self.interruption()
    }
    // The rows that the workers handed over last may still wait for their lookups.
    await drained()
    return true
  }

  /// Determines once whether several accounts may share an e-mail address; false on failure.
  private func learnAddresses(_ script: BatchScript) async -> Bool {
    oneAccountPerEmail = oneAccountPerEmail ?? script.oneAccountPerEmail
    guard oneAccountPerEmail == nil else { return true }
    do throws(AdminError) {
      oneAccountPerEmail = try await lookups?.oneAccountPerEmail()
      return true
    } catch  where error.status == 403 {
      problem = BatchProblem(
        .unavailable,
        "luath cannot read the project's settings, which define whether several accounts may have one "
          + "address: \(error.message.printable)",
        hint: "give the service account firebaseauth.configs.get, or write it in the script: "
          + "batch.define { oneAccountPerEmail = true, … }")
    } catch {
      fail(error)
    }
    return false
  }

  /// Refuses the row that timed out and requeues the other open rows; returns whether planning is over.
  private func goOn(after stop: (row: Int64, traceback: String)?) -> Bool {
    guard let (row, traceback) = stop, open[row] != nil else {
      problem = BatchProblem(
        .notLoaded, "the script computes without end, in a task that plan has begun",
        hint: "look for a loop that does not end")
      return true
    }
    let place =
      traceback.split(separator: "\n").dropFirst().lazy
      .map { $0.drop { $0 == "\t" } }.first { $0.hasPrefix("\(self.request.script.name):") }
      .flatMap { line in line.firstRange(of: ": in ").map { "\(line[..<$0.lowerBound]): " } } ?? ""
    again = open.numbers.filter { $0 != row }
    for number in again { open[number]?.reset() }
    end(
      row,
      .refuse(
        RowFailure(
          "timeout", "\(place)plan computed for more than \(request.secondsPerRow) seconds")))
    return problem != nil
  }

  // MARK: Rows

  private func fail(_ error: AdminError) {
    guard problem == nil else { return }
    problem = BatchProblem(
      .unavailable, "accounts cannot be looked up: \(error.message.printable)",
      hint: error.hint.printable)
    wake()
  }

  private func wake() {
    let waiting = ready
    ready = []
    for body in waiting { body() }
  }

  private func awaitRoom() {
    guard !awaitsRoom else { return }
    awaitsRoom = true
    let waiting = WaitingPlanner(planner: self)
    sink.whenThereIsRoom { [loop = actor.loop] in
      loop.perform {
        waiting.planner?.awaitsRoom = false
        waiting.planner?.wake()
      }
    }
  }

  private func drained() async {
    while problem == nil, !open.isEmpty {
      await withCheckedContinuation { continuation in
        ready.append { continuation.resume() }
      }
    }
  }

  /// Finishes a row, and emits all rows that are next in order.
  private func end(_ number: Int64, _ decision: PlannedRow.Decision, reason: String? = nil) {
    guard let row = open[number] else { return }
    open[number] = nil
    row.isOver = true
    finished[number] = FinishedRow(
      row: PlannedRow(
        number: number, line: row.line, key: row.key ?? String(number), input: row.fields,
        decision: decision, reason: reason, expects: row.expects),
      isReadable: row.isReadable, claims: row.claims, sharedEmails: row.sharedEmails)
    emit()
  }

  private func emit() {
    while problem == nil, let row = finished[head] {
      finished[head] = nil
      do throws(BatchProblem) { try sink.add(row) } catch { problem = error }
      head += 1
    }
    // Wake the workers only after several rows were written, so that all continue at once.
    if problem != nil || open.isEmpty || read - head < Self.window / 2 { wake() }
  }
}

/// Carries a reference to the planner through another thread, which does not use it.
private struct WaitingPlanner: @unchecked Sendable {
  weak var planner: Planner?
}

// MARK: Calls from the script engine

extension Planner: RowPlanner {
  /// The next row, or whether to wait or to end.
  func next() -> PlanTurn {
    while problem == nil, !progress.isCancelled {
      if let number = again.first {
        again.removeFirst()
        if let fields = open[number]?.fields { return .row(number, fields) }
        continue
      }
      guard !isAtEnd, read < request.sample ?? .max else { return .end }
      guard read - head < Self.window else { return .later }
      guard sink.hasRoom else {
        awaitRoom()
        return .later
      }
      do throws(BatchProblem) {
        guard let input = try reader.next() else {
          isAtEnd = true
          return .end
        }
        read = input.number
        if let fields = take(input) { return .row(input.number, fields) }
      } catch {
        problem = error
      }
    }
    if progress.isCancelled, problem == nil { problem = Self.interruption() }
    return .end
  }

  /// Opens a row; nil when the row is refused at once.
  private func take(_ input: InputRow) -> JSONObject? {
    switch input.fields {
    case .failure(let fault):
      open[input.number] = OpenRow(line: input.line, fields: nil)
      end(input.number, .refuse(fault))
      return nil
    case .success(let fields):
      open[input.number] = OpenRow(line: input.line, fields: fields)
      if let column = columns.first(where: { fields[$0] == nil }) {
        end(input.number, .refuse(PlanFaults.missing(column: column)))
        return nil
      }
      return fields
    }
  }

  /// Calls `ready` when `next` may have another row.
  func whenReady(_ ready: @escaping () -> Void) { self.ready.append(ready) }

  /// Receives the result of the script's `plan` for a row.
  func planned(_ number: Int64, _ answer: JSONObject) {
    guard let row = open[number] else { return }
    row.key = answer["key"]?.string
    let reason = answer["why"]?.string
    if let refused = answer["refused"] {
      let fault = RowFailure(
        refused["code"]?.string ?? "refused", refused["message"]?.string ?? "")
      return end(number, .refuse(fault))
    }
    guard let list = answer["do"]?.array, !list.isEmpty else {
      return end(number, .skip, reason: reason)
    }
    do {
      let operations = try list.map { try Operation(json: $0) }
      for operation in operations { try operation.checkValues() }
      check(number, row, operations, answer)
    } catch let fault as RowFailure {
      end(number, .refuse(fault))
    } catch {
      end(number, .refuse(RowFailure("scriptError", "\(error)")))
    }
  }

  /// Looks up the accounts that the operations need, then checks the operations.
  private func check(
    _ number: Int64, _ row: OpenRow, _ operations: [Operation], _ answer: JSONObject
  ) {
    let checks = PlanChecks(operations, oneAccountPerEmail: oneAccountPerEmail != false)
    find(checks.identifiers, for: number) { [weak self, weak row] result in
      guard let self, let row, !row.isOver, self.problem == nil else { return }
      do throws(RowFailure) {
        if case .failure(let error) = result {
          throw RowFailure(error.code.rawValue, error.message.printable)
        }
        row.claims = try checks.judge { row.known[AccountKey($0)] ?? [] }
        row.expects = try row.preconditions(
          of: operations, answer, isLive: !findsAllByEmail,
          oneAccountPerEmail: oneAccountPerEmail != false)
        end(number, .run(operations), reason: answer["why"]?.string)
      } catch {
        end(number, .refuse(error))
      }
    }
  }

  /// Looks up accounts for a script's call in a row.
  func lookUp(
    _ identifiers: [UserIdentifier], for number: Int64,
    _ done: @escaping (Result<[[UserRecord]], AdminError>) -> Void
  ) {
    if oneAccountPerEmail == false, !findsAllByEmail, identifiers.contains(where: \.isEmail) {
      return done(.failure(PlanFaults.oneOfSeveral))
    }
    open[number]?.asked += identifiers
    find(identifiers, for: number, done)
  }

  /// Looks up the identifiers that the row has not looked up before.
  private func find(
    _ identifiers: [UserIdentifier], for number: Int64,
    _ done: @escaping (Result<[[UserRecord]], AdminError>) -> Void
  ) {
    guard let row = open[number], let lookups else { return }
    row.find(identifiers, with: lookups, done)
  }
}

extension UserIdentifier {
  fileprivate var isEmail: Bool {
    if case .email = self { true } else { false }
  }
}
