import Host
import OIDC
import Storage
import System

/// The options of a load run that several processes share.
struct AgentOptions {
  static let options = [
    Option(
      "agents", "N",
      "share the load with N-1 other processes, on any machines, that are started with the same command",
      default: "this process is the only one"),
    Option(
      "queue", "URL",
      "the PostgreSQL database where the agents meet: postgres://USER@HOST/DATABASE#NAME, or the variable with "
        + "the address", default: "none; --agents needs it"),
  ]

  /// Options that may differ between agents.
  private static let ownOptions: Set<String> = [
    "agents", "queue", "jobs", "report", "samples", "metrics", "remote-write", "compare", "project",
    "config", "target", "data", "yes", "seed",
  ]

  private let count: Int
  private let address: PostgresAddress
  private let arguments: ParsedArguments

  /// Reads the options; nil without `--agents`.
  init?(_ arguments: ParsedArguments, _ console: Console) throws(UsageError) {
    let example = "such as --agents 3 --queue postgres://USER@HOST/DATABASE#friday"
    let queue = try QueueOption.url(arguments, console)
    guard let count = try Quantity.count(arguments.values["agents"], "--agents", 2...100) else {
      guard queue == nil else {
        throw UsageError("--queue needs --agents, the number of processes", hint: example)
      }
      return nil
    }
    guard let queue else {
      throw UsageError("--agents needs --queue, the database where they meet", hint: example)
    }
    do throws(QueueProblem) {
      address = try PostgresAddress(queue, .load)
    } catch {
      throw UsageError(error.message, hint: error.hint)
    }
    self.count = count
    self.arguments = arguments
  }

  /// Joins the other agents, and adapts the settings to what this one has of the run.
  func join(
    _ plan: inout LoadPlan, _ settings: inout RunSettings, _ files: [PlannedFile],
    _ target: RunStart.Target, _ console: Console
  ) async throws(RunProblem) -> LoadAgent {
    if plan.model == .open || plan.stages.isEmpty { plan.users = plan.users ?? count }
    guard plan.firstUsers >= count else {
      throw RunProblem(
        "\(plan.firstUsers) users cannot be shared by \(count) agents",
        hint: "each agent needs one: give --vus a higher number, or --agents a lower one",
        exit: ExitCode.usage.rawValue)
    }
    let accounts = settings.accounts
    guard accounts.isEmpty || accounts.count >= count else {
      throw RunProblem(
        "the project file has \(accounts.count) accounts, and each of the \(count) agents needs one",
        hint: "add accounts, or give --agents a lower number", exit: ExitCode.usage.rawValue)
    }
    do throws(QueueProblem) {
      let agent = try await LoadAgent.join(
        address, count: count, agreed(plan, settings, files, target, console)
      ) { console.writeError("luath: \($0)\n") }
      settings.accounts = accounts.enumerated().filter { $0.offset % count == agent.slot }
        .map(\.element)
      return agent
    } catch {
      throw RunProblem(error)
    }
  }

  /// What all agents must agree on.
  private func agreed(
    _ plan: LoadPlan, _ run: RunSettings, _ files: [PlannedFile], _ target: RunStart.Target,
    _ console: Console
  ) -> AgentSettings {
    var settings = AgentSettings()
    settings.add("the version of luath", Version.current, isShown: true)
    settings.add("--agents", "\(count)", isShown: true)
    let shown = Set(LoadSetting.all.map(\.option.name))
    let names = Set(arguments.values.keys).union(arguments.flags).subtracting(Self.ownOptions)
    for name in names.sorted() {
      let value = arguments.lists[name]?.joined(separator: ",") ?? arguments.values[name] ?? "yes"
      settings.add(
        "--\(name)", shown.contains(name) ? value.printable : Self.digest(Array(value.utf8)),
        isShown: shown.contains(name))
    }
    settings.add("--seed", "\(run.seed)", isShown: true)
    settings.add("the target", "\(target.name) \(target.projectID)".printable, isShown: true)
    for file in files {
      settings.add(
        "the file \(Self.lastName(file.script.name))",
        Self.digest((try? console.read(file.script.name).get()) ?? []))
    }
    let journeys = files.flatMap(\.journeys).map { "\($0.fullName) \($0.weight)" }
    settings.add("the journeys", Self.digest(Array(journeys.joined(separator: "\n").utf8)))
    if let data = plan.data {
      // A path in a file is relative to the file.
      let folder = data.script.flatMap { script in
        script.lastIndex(of: "/").map { script[...$0] }
      }
      let path = data.path.hasPrefix("/") ? data.path : "\(folder ?? "")\(data.path)"
      let read = try? console.read(path).get()
      settings.add("the rows of --data", Self.digest(read ?? []))
    }
    return settings
  }

  private static func lastName(_ path: String) -> String {
    String(path.split(separator: "/").last ?? "").printable
  }

  private static func digest(_ bytes: [UInt8]) -> String {
    let digest = RunningSHA256()
    bytes.withUnsafeBufferPointer { digest.update($0) }
    return digest.hex()
  }
}

extension RunProblem {
  init(_ problem: QueueProblem) {
    let code: ExitCode =
      switch problem.code {
      case .usage: .usage
      // Ctrl-C ends the wait for a server.
      case .unavailable where Interrupts.hasCome: .interrupted
      case .unavailable, .inUse: .unavailable
      }
    self.init(problem.message, hint: problem.hint, exit: code.rawValue)
  }
}
