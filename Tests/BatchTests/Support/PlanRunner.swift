@testable import Client
@testable import Emulator
@testable import System
@testable import HTTP
@testable import IdentityToolkit
@testable import Host
import Synchronization
import Testing

@testable import Batch

/// Plans rows by a script, against an emulator of its own over HTTP.
struct PlanRunner {
  /// Accounts that the emulator has, as `admin:importUsers` takes them.
  var accounts: [JSON] = []
  var columns: [String] = []
  var changes: @Sendable (inout PlanRequest) -> Void = { _ in }
  var faults = FaultPlan()
  var project = ProjectConfiguration.demo

  /// Making keys takes longer than most plans.
  private static let keys = SigningKeys()

  /// What came of it.
  struct Result: Sendable {
    var rows: [PlannedRow] = []
    var summary = PlanSummary()
    var problem: BatchProblem?
    /// The accounts after it, as an export has them.
    var isUnchanged = true

    /// The fault of a row by its number.
    func fault(_ number: Int) -> RowFailure? {
      guard rows.indices.contains(number - 1), case .refuse(let fault) = rows[number - 1].decision
      else { return nil }
      return fault
    }

    /// The operations of a row by its number, as a plan has them.
    func operations(_ number: Int) -> [String] {
      guard rows.indices.contains(number - 1), case .run(let list) = rows[number - 1].decision
      else { return [] }
      return list.map { $0.json.encoded() }
    }

    /// Whether a row is skipped.
    func isSkipped(_ number: Int) -> Bool {
      guard rows.indices.contains(number - 1), case .skip = rows[number - 1].decision
      else { return false }
      return true
    }
  }

  /// Plans rows given as JSON; a text stands for a line that cannot be read.
  func plan(_ script: String, _ rows: [JSON]) async throws -> Result {
    let emulator = try Emulator(project: project, keys: Self.keys, faults: faults)
    let port = try await emulator.start()
    let origin = try #require(WebURL("http://127.0.0.1:\(port)"))
    let loop = try EventLoop(name: "plan")
    try loop.start()
    let target = Target(
      projectID: project.id, apiKey: Secret("test"), backend: .emulator(origin))
    var request = PlanRequest(
      script: Script(text: Array(script.utf8), name: "plan.lua", folder: nil),
      context: ScriptContext(target: target))
    changes(&request)
    let result = try await LoopActor(loop).run {
      [request, accounts, columns] (actor: isolated LoopActor) async throws -> Result in
      let admin = try Admin(
        target: target, serviceAccount: nil, transport: HTTPClient(loop: loop), clock: NoClock())
      let users = try accounts.map {
        Swift.Result<ImportRow, AdminError>.success(try ImportRow($0))
      }
      let made = try await admin.importUsers(users, ImportOptions())
      #expect(made.failureCount == 0, "\(made.errors)")
      let before = try await all(admin)
      let collected = Collected()
      var result = Result()
      let planner = Planner(
        request, reader: ListReader(rows, columns), actor: actor, progress: RowProgress(),
        sink: collected)
      do throws(BatchProblem) {
        try await planner.run()
        result.summary = collected.book.summary
      } catch {
        result.problem = error
      }
      result.rows = collected.rows
      result.isUnchanged = try await all(admin) == before
      return result
    }
    loop.stop()
    loop.join()
    await emulator.stop()
    return result
  }
}

private func all(_ admin: Admin) async throws -> [String] {
  var texts: [String] = []
  let list = try admin.listUsers()
  while let user = try await list.next() { texts.append("\(user)") }
  return texts
}

private final class Collected: PlanSink {
  var book = PlanBook()
  var rows: [PlannedRow] = []
  let hasRoom = true

  func begin(modules: [String: String]) {}

  func add(_ row: FinishedRow) throws(BatchProblem) { rows.append(try book.enter(row)) }

  func whenThereIsRoom(_ wake: @escaping @Sendable () -> Void) { wake() }
}

private struct NoClock: AuthClock {
  var now: Int64 { 0 }
}

/// Rows of a list; a text is a line that cannot be read.
final class ListReader: RowReader {
  let columns: [String]
  private let rows: [JSON]
  private var position = 0

  init(_ rows: [JSON], _ columns: [String] = []) {
    self.rows = rows
    self.columns = columns
  }

  func next() throws(BatchProblem) -> InputRow? {
    guard position < rows.count else { return nil }
    position += 1
    let fields: Result<JSONObject, RowFailure> =
      if let object = rows[position - 1].object {
        .success(object)
      } else {
        .failure(RowFailure("malformedRow", rows[position - 1].string ?? ""))
      }
    return InputRow(number: Int64(position), line: Int64(position + 1), fields: fields)
  }
}
