import HTTP
import Storage
import System

/// The tables of a load run with several agents, and what is done with them.
///
/// The functions run on the thread of a `QueueChannel`, some in a transaction of theirs. Each may be repeated.
struct LoadTables: Sendable {
  static let schema = QueueSchema(
    mark: "agents",
    versions: [
      RunnerWatch.table + """
        CREATE TABLE load_run (
          id bigint PRIMARY KEY, agents bigint NOT NULL, settings text NOT NULL,
          began bigint, stopped_by text);
        CREATE TABLE agents (
          slot bigint PRIMARY KEY, runner bigint NOT NULL, name text NOT NULL,
          is_ready boolean NOT NULL, state text NOT NULL, gone_at bigint,
          is_final boolean NOT NULL, figures bytea, serial bigint NOT NULL);
        CREATE TABLE epochs (number bigint PRIMARY KEY, first bigint NOT NULL, live text NOT NULL);
        CREATE TABLE seconds (
          slot bigint NOT NULL, second bigint NOT NULL, data bytea NOT NULL,
          PRIMARY KEY (slot, second));
        CREATE TABLE luath_schema (version bigint PRIMARY KEY);
        INSERT INTO luath_schema VALUES (1);
        """
    ])

  /// An agent as the tables have it.
  struct Agent: Sendable {
    let slot: Int
    /// The machine and the process.
    let name: String
    let isReady: Bool
    /// `live`, `left` or `lost`.
    let state: String
    /// When it left or was lost, in milliseconds since the start.
    let goneAt: Double?
    /// Whether its figures are complete.
    let isFinal: Bool
    /// Whether its process has ended.
    let isDead: Bool

    /// Whether more figures of it may come.
    var isAwaited: Bool { !isFinal && state != "lost" && !(state == "left" && isDead) }
  }

  /// The run as the tables have it.
  struct Run: Sendable {
    let agents: Int
    let settings: String
    /// When it begins, in microseconds since 1970 by the server's clock.
    let began: Int64?
    /// The limit that ended it.
    let stoppedBy: String?
  }

  let address: PostgresAddress

  /// Does work in a transaction that excludes those of other agents.
  func transaction<Value>(
    _ connection: PostgresConnection, _ body: () throws(PostgresFailure) -> Value
  ) throws(PostgresFailure) -> Value {
    try connection.transaction(locking: "load_run", body)
  }

  /// Creates the tables.
  func prepare(_ connection: PostgresConnection) throws(PostgresFailure) {
    try Self.schema.prepareAlone(address, on: connection)
  }

  func run(_ connection: PostgresConnection) throws(PostgresFailure) -> Run? {
    let found = try connection.run(
      "SELECT agents, settings, began, stopped_by FROM load_run")
    guard found.count > 0 else { return nil }
    return Run(
      agents: Int(found.integer(0, 0)), settings: found.text(0, 1),
      began: found.isNull(0, 2) ? nil : found.integer(0, 2),
      stoppedBy: found.isNull(0, 3) ? nil : found.text(0, 3))
  }

  /// Sets the run, for the first agent of it.
  func set(_ run: Run, _ connection: PostgresConnection) throws(PostgresFailure) {
    try connection.run(
      """
      INSERT INTO load_run VALUES (1, $1::bigint, $2, NULL, NULL)
      ON CONFLICT (id) DO UPDATE SET agents = excluded.agents, settings = excluded.settings
      """, [.integer(Int64(run.agents)), .text(run.settings)])
  }

  /// The agents, by their slots.
  func agents(_ connection: PostgresConnection) throws(PostgresFailure) -> [Agent] {
    let found = try connection.run(
      """
      SELECT a.slot, a.name, a.is_ready, a.state, a.gone_at, a.is_final, r.is_ended
      FROM agents a JOIN runners r ON r.id = a.runner ORDER BY a.slot
      """)
    return found.indices.map { row in
      Agent(
        slot: Int(found.integer(row, 0)), name: found.text(row, 1),
        isReady: found.integer(row, 2) == 1, state: found.text(row, 3),
        goneAt: found.isNull(row, 4) ? nil : Double(found.integer(row, 4)),
        isFinal: found.integer(row, 5) == 1, isDead: found.integer(row, 6) == 1)
    }
  }

  /// Removes agents that died, or left, before the start.
  func removeDead(_ connection: PostgresConnection) throws(PostgresFailure) {
    try connection.run(
      "DELETE FROM agents WHERE runner IN (SELECT id FROM runners WHERE is_ended)")
  }

  /// Adds an agent, and returns its runner.
  func add(
    slot: Int, name: String, lease: Int64, _ connection: PostgresConnection
  ) throws(PostgresFailure) -> Int64 {
    let runner = try RunnerWatch.register(name, lease: lease, on: connection)
    try connection.run(
      "INSERT INTO agents VALUES ($1::bigint, $2::bigint, $3, false, 'live', NULL, false, NULL, 0)",
      [.integer(Int64(slot)), .integer(runner), .text(name)])
    return runner
  }

  /// Ends the runner of an agent.
  func end(_ runner: Int64, _ connection: PostgresConnection) throws(PostgresFailure) {
    try connection.run(
      "UPDATE runners SET is_ended = true WHERE id = $1::bigint", [.integer(runner)])
  }

  /// The server's clock, in microseconds since 1970.
  func time(_ connection: PostgresConnection) throws(PostgresFailure) -> Int64 {
    try connection.run("SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint")
      .integer(0, 0)
  }

  // MARK: The run

  func setReady(_ slot: Int, _ connection: PostgresConnection) throws(PostgresFailure) {
    try connection.run(
      "UPDATE agents SET is_ready = true WHERE slot = $1::bigint", [.integer(Int64(slot))])
  }

  /// Sets the start.
  ///
  /// - Parameter delay: Microseconds from now.
  func begin(after delay: Int64, _ connection: PostgresConnection) throws(PostgresFailure) {
    try connection.run(
      "UPDATE load_run SET began = $1::bigint", [.integer(try time(connection) + delay)])
  }

  /// The epochs after the first so many.
  func epochs(
    after known: Int, _ connection: PostgresConnection
  ) throws(PostgresFailure) -> [AgentShare.Epoch] {
    let found = try connection.run(
      "SELECT first, live FROM epochs WHERE number >= $1::bigint ORDER BY number",
      [.integer(Int64(known))])
    return found.indices.map { row in
      AgentShare.Epoch(
        first: Int(found.integer(row, 0)),
        live: found.text(row, 1).split(separator: ",").compactMap { Int($0) })
    }
  }

  /// Marks the agents whose process has ended as lost, and adds an epoch without all that are gone.
  ///
  /// - Parameters:
  ///   - now: Milliseconds since the start.
  ///   - first: The first arrival that a new epoch may have.
  ///   - share: The epochs that this process has.
  func update(
    at now: Double, first: Int, _ share: AgentShare, _ connection: PostgresConnection
  ) throws(PostgresFailure) {
    try connection.run(
      """
      UPDATE agents SET state = 'lost', gone_at = $1::bigint
      WHERE state = 'live' AND NOT is_final AND runner IN (SELECT id FROM runners WHERE is_ended)
      """, [.integer(Int64(now))])
    let gone = Set(try agents(connection).filter { $0.state != "live" }.map(\.slot))
    let epochs = share.epochs + (try epochs(after: share.epochs.count, connection))
    guard let last = epochs.last, last.live.contains(where: gone.contains) else { return }
    let live = last.live.filter { !gone.contains($0) }
    try connection.run(
      "INSERT INTO epochs VALUES ($1::bigint, $2::bigint, $3)",
      [
        .integer(Int64(epochs.count)), .integer(Int64(max(first, last.first))),
        .text(live.map(String.init).joined(separator: ",")),
      ])
  }

  /// Marks an agent as one that has left.
  func leave(
    _ slot: Int, at now: Double, _ connection: PostgresConnection
  ) throws(PostgresFailure) {
    try connection.run(
      "UPDATE agents SET state = 'left', gone_at = $2::bigint WHERE slot = $1::bigint AND state = 'live'",
      [.integer(Int64(slot)), .integer(Int64(now))])
  }

  /// Ends the run because a limit was missed.
  func stop(_ limit: String, _ connection: PostgresConnection) throws(PostgresFailure) {
    try connection.run(
      "UPDATE load_run SET stopped_by = $1 WHERE stopped_by IS NULL", [.text(limit)])
  }

  // MARK: Figures

  /// Writes the figures of an agent; false if it counts as lost.
  ///
  /// - Parameter serial: Is greater in each call with later figures.
  func write(
    _ figures: [UInt8], _ seconds: [(number: Int, data: [UInt8])], of slot: Int, serial: Int64,
    isFinal: Bool, _ connection: PostgresConnection
  ) throws(PostgresFailure) -> Bool {
    let written = try connection.run(
      """
      UPDATE agents SET figures = $2::bytea, serial = $3::bigint, is_final = $4::bigint = 1
      WHERE slot = $1::bigint AND serial <= $3::bigint AND state <> 'lost'
      """,
      [.integer(Int64(slot)), .bytes(figures), .integer(serial), .integer(isFinal ? 1 : 0)])
    guard written.changed == 1 else { return false }
    try connection.run(
      """
      INSERT INTO seconds SELECT $1::bigint, * FROM unnest($2::bigint[], $3::bytea[])
      ON CONFLICT (slot, second) DO UPDATE SET data = excluded.data
      """,
      [
        .integer(Int64(slot)), .integers(seconds.map { Int64($0.number) }),
        .blobs(seconds.map(\.data)),
      ])
    return true
  }

  /// The figures of the agents that have sent some, by their slots.
  func figures(
    hasSeconds: Bool, _ connection: PostgresConnection
  ) throws(PostgresFailure) -> [Int: AgentFigures] {
    var seconds: [Int: [[UInt8]]] = [:]
    let rows = try connection.run(
      "SELECT slot, data FROM seconds WHERE $1::bigint = 1 ORDER BY slot, second",
      [.integer(hasSeconds ? 1 : 0)])
    for row in rows.indices {
      seconds[Int(rows.integer(row, 0)), default: []].append(rows.bytes(row, 1))
    }
    var figures: [Int: AgentFigures] = [:]
    let found = try connection.run("SELECT slot, figures FROM agents WHERE figures IS NOT NULL")
    for row in found.indices {
      let slot = Int(found.integer(row, 0))
      guard let part = AgentFigures(found.bytes(row, 1), seconds: seconds[slot] ?? []) else {
        throw .refused(
          QueueProblem(
            .unavailable, "the figures of agent \(slot + 1) at \(address.shown) are damaged",
            hint: "start the load test under a new name after '#'"))
      }
      figures[slot] = part
    }
    return figures
  }
}
