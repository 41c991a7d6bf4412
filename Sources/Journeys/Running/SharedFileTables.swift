import Host
import Storage
import System

/// The tables of a run whose files several shards share.
///
/// A part is what one process runs at a time: a file, or a journey that may run in parallel.
struct SharedFileTables {
  private static let schema = QueueSchema(
    mark: "parts",
    versions: [
      """
      CREATE TABLE luath_schema (version bigint NOT NULL);
      INSERT INTO luath_schema VALUES (1);
      \(RunnerWatch.table)
      CREATE TABLE shards (
        runner bigint PRIMARY KEY, number integer NOT NULL, of_count integer NOT NULL);
      CREATE TABLE parts (
        key text PRIMARY KEY, place bigint NOT NULL, owner bigint, is_done boolean NOT NULL DEFAULT false);
      CREATE INDEX parts_left ON parts (place) WHERE NOT is_done;
      """
    ])

  let connection: PostgresConnection
  let address: PostgresAddress

  // MARK: Joining

  /// Adds this process to the run, and returns the id of its runner.
  ///
  /// - Parameters:
  ///   - keys: The parts that this process has selected, in the order in which they are to be taken.
  ///   - place: The machine and process, for messages.
  ///   - lease: Milliseconds.
  func join(
    _ shard: Shard, _ keys: [String], at place: String, lease: Int64
  ) throws(PostgresFailure) -> Int64 {
    try Self.schema.prepareAlone(address, on: connection)
    return try connection.transaction(locking: "shards") { () throws(PostgresFailure) in
      try requireSame(shard)
      try requireSame(keys)
      try endEarlierProcess(of: shard)
      let runner = try RunnerWatch.register(place, lease: lease, on: connection)
      try connection.run(
        "INSERT INTO shards VALUES ($1::bigint, $2::bigint::integer, $3::bigint::integer)",
        [.integer(runner), .integer(Int64(shard.index)), .integer(Int64(shard.count))])
      return runner
    }
  }

  private func requireSame(_ shard: Shard) throws(PostgresFailure) {
    let known = try connection.run("SELECT of_count FROM shards LIMIT 1")
    guard known.count > 0, known.integer(0, 0) != shard.count else { return }
    throw .refused(
      QueueProblem(
        .usage, "the run '\(address.name)' has \(known.integer(0, 0)) shards, not \(shard.count)",
        hint: "give all processes the same N in --shard I/N, or name a new run after '#'"))
  }

  private func requireSame(_ keys: [String]) throws(PostgresFailure) {
    let found = try connection.run("SELECT key FROM parts")
    guard found.count > 0 else {
      try connection.run(
        """
        INSERT INTO parts (key, place)
        SELECT key, place FROM unnest($1::text[]) WITH ORDINALITY AS listed (key, place)
        """, [.texts(keys)])
      return
    }
    let known = Set(found.indices.map { found.text($0, 0) })
    guard known != Set(keys) else { return }
    let missing = known.subtracting(keys).sorted()
    let added = Set(keys).subtracting(known).sorted()
    let example =
      added.first.map { "only this process has \($0)" }
      ?? "this process does not have \(missing[0])"
    throw .refused(
      QueueProblem(
        .usage,
        "the shards of the run '\(address.name)' selected other journeys: \(example.printable)",
        hint: "give all shards the same files and options, and each run its own name after '#'"))
  }

  /// Ends the process that was this shard before, and lets its parts run again.
  private func endEarlierProcess(of shard: Shard) throws(PostgresFailure) {
    let others = try connection.run(
      """
      SELECT r.name, r.id FROM runners r JOIN shards s ON s.runner = r.id
      WHERE NOT r.is_ended AND s.number = $1::bigint
      """, [.integer(Int64(shard.index))])
    let locked = try RunnerWatch.locked(in: address.schema, on: connection)
    if let row = others.indices.first(where: { locked.contains(others.integer($0, 1)) }) {
      throw .refused(
        QueueProblem(
          .inUse,
          "shard \(shard) of the run '\(address.name)' runs already: \(others.text(row, 0))",
          hint: "give each process its own number I in --shard I/N"))
    }
    try connection.run(
      """
      WITH earlier AS (SELECT runner FROM shards WHERE number = $1::bigint),
        ended AS (UPDATE runners SET is_ended = true WHERE id IN (SELECT runner FROM earlier))
      UPDATE parts SET owner = NULL, is_done = false WHERE owner IN (SELECT runner FROM earlier)
      """, [.integer(Int64(shard.index))])
  }

  // MARK: Taking parts

  enum Next: Sendable {
    case part(String)
    /// Others have the rest, and may leave some of it.
    case wait(shards: [Int64])
    case nothing
  }

  /// Takes the next part for a runner, after the parts of dead runners were released.
  ///
  /// - Parameter held: The parts that workers of the runner have.
  func next(
    for runner: Int64, holding held: [String], _ watch: inout RunnerWatch
  ) throws(PostgresFailure) -> Next {
    try connection.transaction(locking: "shards") { () throws(PostgresFailure) in
      let dead = try watch.endDead(in: address.schema, except: runner, on: connection)
      guard !dead.isEmpty else { return }
      try connection.run(
        "UPDATE parts SET owner = NULL, is_done = false WHERE owner = ANY ($1::bigint[])",
        [.integers(dead)])
    }
    // If the answer to a claim was lost, the runner has a part that no worker has.
    let taken = try connection.run(
      """
      WITH alive AS (SELECT id FROM runners WHERE id = $1::bigint AND NOT is_ended FOR SHARE),
        unknown AS (
          SELECT key FROM parts WHERE owner = $1::bigint AND NOT is_done
            AND key <> ALL ($2::text[]) LIMIT 1),
        free AS (
          SELECT key FROM parts WHERE owner IS NULL AND NOT is_done ORDER BY place
          FOR UPDATE SKIP LOCKED LIMIT 1)
      UPDATE parts SET owner = $1::bigint
      WHERE EXISTS (SELECT FROM alive)
        AND key = coalesce((SELECT key FROM unknown), (SELECT key FROM free))
      RETURNING key
      """, [.integer(runner), .texts(held)])
    if taken.count > 0 { return .part(taken.text(0, 0)) }
    try requireAlive(runner)
    let rest = try connection.run(
      """
      SELECT DISTINCT coalesce(s.number, 0) FROM parts p LEFT JOIN shards s ON s.runner = p.owner
      WHERE NOT p.is_done AND p.owner IS DISTINCT FROM $1::bigint ORDER BY 1
      """, [.integer(runner)])
    if rest.count == 0 { return .nothing }
    return .wait(shards: rest.indices.map { rest.integer($0, 0) }.filter { $0 > 0 })
  }

  /// Records that a part has ended.
  func end(_ part: String, of runner: Int64) throws(PostgresFailure) {
    let changed = try connection.run(
      "UPDATE parts SET is_done = true WHERE key = $1 AND owner = $2::bigint",
      [.text(part), .integer(runner)])
    if changed.changed == 0 { try requireAlive(runner) }
  }

  /// Releases the parts that a runner has not ended, and ends it.
  func leave(_ runner: Int64) throws(PostgresFailure) {
    try connection.run(
      "UPDATE parts SET owner = NULL WHERE owner = $1::bigint AND NOT is_done", [.integer(runner)])
    try connection.run(
      "UPDATE runners SET is_ended = true WHERE id = $1::bigint", [.integer(runner)])
  }

  private func requireAlive(_ runner: Int64) throws(PostgresFailure) {
    let found = try connection.run(
      "SELECT 1 FROM runners WHERE id = $1::bigint AND NOT is_ended", [.integer(runner)])
    guard found.count == 0 else { return }
    throw .refused(
      QueueProblem(
        .inUse,
        "other processes run the journeys of this one, because it was not seen for \(SharedFiles.lease), "
          + "or another is the same shard",
        hint: "leave out the report of this process"))
  }
}
