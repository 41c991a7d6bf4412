import Glibc
import HTTP
import Host
import Storage
import System

/// What all agents of a load run must agree on, in the order in which differences are reported.
struct AgentSettings: Sendable, Equatable {
  struct Item: Sendable, Equatable {
    /// The option, or what else it is.
    let name: String
    let value: String
    /// Whether messages show the value.
    let isShown: Bool
  }

  var items: [Item] = []

  mutating func add(_ name: String, _ value: String, isShown: Bool = false) {
    items.append(Item(name: name, value: value, isShown: isShown))
  }

  var text: String {
    JSON.array(
      items.map { .array([.string($0.name), .string($0.value), .bool($0.isShown)]) }
    ).encoded()
  }

  init() {}

  init(text: String) {
    for item in (try? JSON.parse(text))?.array ?? [] {
      add(item[0]?.string ?? "", item[1]?.string ?? "", isShown: item[2]?.bool ?? false)
    }
  }

  /// What differs from the settings of the others; empty for nothing.
  func differences(from others: AgentSettings) -> String {
    let names =
      items.map(\.name)
      + others.items.map(\.name).filter { name in
        !items.contains { $0.name == name }
      }
    let parts = names.compactMap { name -> String? in
      let (own, other) = (items.first { $0.name == name }, others.items.first { $0.name == name })
      guard own?.value != other?.value else { return nil }
      guard own?.isShown ?? other?.isShown ?? false else { return name }
      return "\(name) (\(own?.value ?? "none") here, \(other?.value ?? "none") there)"
    }
    return parts.prefix(5).joined(separator: ", ") + (parts.count > 5 ? ", …" : "")
  }
}

/// The place of a process among the agents of a run.
struct AgentEntry: Sendable {
  let slot: Int
  let runner: Int64

  /// Why there is no place, unless dead agents hold it.
  enum Refusal: Sendable {
    case differs(String)
    case full
    /// The run has begun; whether an agent of it is alive.
    case begun(isAlive: Bool)
  }

  /// How long dead agents of an earlier start may hold a place.
  private static let patience = Duration.seconds(4)
  /// The lease until the agent renews it, in milliseconds.
  private static let lease: Int64 = 10_000

  /// The machine and the process, for the other agents.
  private static var name: String { "\(Machine.name.printable)/\(getpid())" }

  /// Reserves a place.
  ///
  /// - Parameters:
  ///   - count: The number of agents.
  ///   - connections: How many connections there were.
  static func reserve(
    count: Int, _ settings: AgentSettings, _ tables: LoadTables, _ channel: QueueChannel,
    connections: @escaping @Sendable () -> Int
  ) async throws(QueueProblem) -> AgentEntry {
    let start = ContinuousClock.now
    var watch = RunnerWatch(lease: .milliseconds(lease), grace: .seconds(1))
    while true {
      let before = watch
      let (result, after) = try await channel.perform { connection throws(PostgresFailure) in
        var watch = before
        try tables.prepare(connection)
        // After the server was away, others need time to connect again.
        if connections() == 1 {
          _ = try watch.endDead(in: tables.address.schema, except: 0, on: connection)
        }
        let result = try tables.transaction(connection) { () throws(PostgresFailure) in
          try entry(count: count, settings, tables, connection)
        }
        return (result, watch)
      }
      watch = after
      switch result {
      case .success(let entry): return entry
      case .failure(let refusal):
        if case .begun = refusal.reason { throw problem(refusal.reason, tables, count) }
        guard start.duration(to: .now) < patience else {
          throw problem(refusal.reason, tables, count)
        }
      }
      try? await Task.sleep(for: .milliseconds(250))
    }
  }

  private struct Refused: Error { let reason: Refusal }

  private static func entry(
    count: Int, _ settings: AgentSettings, _ tables: LoadTables, _ connection: PostgresConnection
  ) throws(PostgresFailure) -> Result<AgentEntry, Refused> {
    var run = try tables.run(connection)
    if run?.began != nil {
      let isAlive = try tables.agents(connection).contains { !$0.isDead && !$0.isFinal }
      return .failure(Refused(reason: .begun(isAlive: isAlive)))
    }
    try tables.removeDead(connection)
    let agents = try tables.agents(connection)
    if agents.isEmpty || run == nil {
      let first = LoadTables.Run(
        agents: count, settings: settings.text, began: nil, stoppedBy: nil)
      try tables.set(first, connection)
      run = first
    }
    guard let run else { return .failure(Refused(reason: .full)) }
    let differences = settings.differences(from: AgentSettings(text: run.settings))
    guard differences.isEmpty else { return .failure(Refused(reason: .differs(differences))) }
    guard let slot = (0..<count).first(where: { slot in !agents.contains { $0.slot == slot } })
    else { return .failure(Refused(reason: .full)) }
    let runner = try tables.add(slot: slot, name: name, lease: lease, connection)
    return .success(AgentEntry(slot: slot, runner: runner))
  }

  private static func problem(
    _ refusal: Refusal, _ tables: LoadTables, _ count: Int
  ) -> QueueProblem {
    let name = "the load test '\(tables.address.name)'"
    switch refusal {
    case .differs(let differences):
      return QueueProblem(
        .usage, "this agent differs from the others of \(name) in \(differences)",
        hint: "start all agents with the same options and files, or use another name after '#'")
    case .full, .begun(isAlive: true):
      return QueueProblem(
        .inUse, "\(name) has its \(count) agents already",
        hint: "to start another one, use another name after '#'")
    case .begun(isAlive: false):
      return QueueProblem(
        .usage, "\(name) is finished",
        hint:
          "use a new name after '#'; DROP SCHEMA \(tables.address.schema) CASCADE removes its tables"
      )
    }
  }
}

extension LoadAgent {
  /// Joins a load run, and waits for a server that does not respond.
  ///
  /// - Parameters:
  ///   - count: The number of agents.
  ///   - notice: Tells the user what is waited for.
  static func join(
    _ address: PostgresAddress, count: Int, _ settings: AgentSettings,
    notice: @escaping @Sendable (String) -> Void
  ) async throws(QueueProblem) -> LoadAgent {
    try await PostgresOpening.wait(
      for: address, patience: patience, unless: { Interrupts.hasCome }, notice: notice)
    let tables = LoadTables(address: address)
    let connections = Connections()
    let channel = try await QueueChannel.start(
      address, thread: "luath-agent", patience: patience
    ) { _ throws(PostgresFailure) in
      connections.state.withLock { state in
        state.count += 1
        return state.agent
      }?.connected()
    } notified: { _ in
    }
    do throws(QueueProblem) {
      let entry = try await AgentEntry.reserve(count: count, settings, tables, channel) {
        connections.state.withLock(\.count)
      }
      let agent = LoadAgent(entry, count: count, tables, channel, notice: notice)
      connections.state.withLock { $0.agent = agent }
      agent.connected()
      try await agent.live()
      return agent
    } catch {
      await channel.stop()
      throw error
    }
  }

  private final class Connections: Sendable {
    struct State {
      var count = 0
      /// The agent, once it exists.
      var agent: LoadAgent?
    }

    let state = Guarded(State())
  }
}
