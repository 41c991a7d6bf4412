extension PostgresTables {
  /// The version of the tables that this luath creates and reads.
  static let version: Int64 = 1

  /// The tables: those of the SQLite journal, plus row owners, runners, and the shared rate limit.
  static let tables = """
    CREATE TABLE meta (name text PRIMARY KEY, value bytea NOT NULL);
    CREATE TABLE runs (
      number bigint PRIMARY KEY, kind text NOT NULL, of_run bigint, is_loaded boolean NOT NULL);
    CREATE TABLE plans (id bigint PRIMARY KEY, planned bytea NOT NULL);
    CREATE TABLE rows (
      id bigint PRIMARY KEY, state bigint NOT NULL, fault_code text NOT NULL,
      fault_message text NOT NULL, owner bigint);
    CREATE INDEX rows_waiting ON rows (id) WHERE state = 0 AND owner IS NULL;
    CREATE INDEX rows_owned ON rows (owner) WHERE owner IS NOT NULL;
    CREATE TABLE steps (
      row_id bigint NOT NULL, step bigint NOT NULL, change bytea NOT NULL, before bytea,
      intended_at bigint NOT NULL, PRIMARY KEY (row_id, step));
    CREATE TABLE outcomes (
      row_id bigint NOT NULL, step bigint NOT NULL, result bigint NOT NULL,
      fault_code text NOT NULL, fault_message text NOT NULL, settled_at bigint NOT NULL,
      microseconds bigint NOT NULL, attempts bigint NOT NULL, PRIMARY KEY (row_id, step));
    CREATE TABLE runners (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text NOT NULL,
      until timestamptz NOT NULL, serial bigint NOT NULL, is_ended boolean NOT NULL);
    CREATE TABLE budget (
      id bigint PRIMARY KEY, rate double precision, tokens double precision NOT NULL,
      filled timestamptz NOT NULL, is_paused boolean NOT NULL);
    INSERT INTO budget VALUES (1, NULL, 1, clock_timestamp(), false);
    CREATE TABLE luath_schema (version bigint PRIMARY KEY);
    INSERT INTO luath_schema VALUES (\(version));
    """

  /// Creates the tables if they do not exist; the caller must hold the advisory lock.
  func prepare() throws(PostgresFailure) {
    let found = try connection.run(
      "SELECT count(*) FROM pg_tables WHERE schemaname = $1 AND tablename = 'luath_schema'",
      [.text(address.schema)])
    if found.integer(0, 0) == 0 {
      let others = try connection.run(
        "SELECT count(*) FROM pg_tables WHERE schemaname = $1", [.text(address.schema)])
      guard others.integer(0, 0) == 0 else {
        throw .refused(
          BatchProblem(
            .usage, "the schema \(address.schema) at \(address.shown) is not a journal of luath",
            hint: "name another journal at the end of --queue: #NAME"))
      }
      try connection.script("BEGIN; CREATE SCHEMA IF NOT EXISTS \(address.schema)")
      try connection.script(Self.tables)
      try connection.script("COMMIT")
    }
    let version = try connection.run("SELECT max(version) FROM luath_schema").integer(0, 0)
    guard version <= Self.version else {
      throw .refused(
        BatchProblem(
          .usage,
          "a later luath wrote the journal at \(address.shown): version \(version), "
            + "known is \(Self.version)",
          hint: "use that version of luath, or name another journal at the end of --queue: #NAME"))
    }
  }
}
