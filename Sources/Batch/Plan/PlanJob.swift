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
  func run(_ progress: RowProgress) async throws(BatchProblem) -> Outcome {
    let loop = try EventLoop.started("plan") { BatchProblem($0) }
    let result = await LoopActor(loop).run { actor in await make(progress, actor) }
    loop.stop()
    loop.join()
    return try result.get()
  }

  private func make(
    _ progress: RowProgress, _ actor: isolated LoopActor
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
    var header = PlanHeader(
      projectID: request.context.target.projectID, tenantID: request.tenantID,
      script: request.script.name, scriptDigest: request.scriptDigest, input: input,
      columns: columns, made: Timestamp.text(milliseconds: Timestamp.now / 1000 * 1000),
      sample: request.sample)
    header.arguments = request.scope.arguments
    return header
  }
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
  var tenantID: String? { scope.tenantID }
  /// What the script sees besides its rows.
  var scope: BatchScope {
    get { context.batch ?? BatchScope() }
    set { context.batch = newValue }
  }
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
    scope = BatchScope()
  }
}

extension BatchScope {
  /// The arguments as a user would write them; nil if there are none.
  var shown: String? {
    guard !arguments.entries.isEmpty else { return nil }
    return arguments.entries.map { ShellWord.quoted("\($0.key)=\($0.value.string ?? "")") }
      .joined(separator: " ")
  }
}

extension PlanHeader {
  /// What the script sees besides its rows, at planning as in the run.
  var scope: BatchScope { BatchScope(tenantID: tenantID, arguments: arguments) }

  /// Whether the plan was made with this script text.
  func isMade(by script: [UInt8]) -> Bool {
    Hex.encode(Digest.sha256(script)) == scriptDigest
  }
}
