internal import CPQ
internal import Glibc
internal import System

/// A parameter value of a statement.
package enum PostgresValue {
  case integer(Int64)
  case text(String)
  case bytes([UInt8])
  case integers([Int64])
  case texts([String])
  case blobs([[UInt8]?])
}

/// A connection to a PostgreSQL server; for one thread, which blocks while it waits for results.
package final class PostgresConnection {
  private let address: PostgresAddress
  private var connection: OpaquePointer?

  /// Connects; throws `lost` if the server cannot be reached or rejects the login.
  package init(_ address: PostgresAddress) throws(PostgresFailure) {
    self.address = address
    for attempt in address.protection.attempts {
      close()
      connection = Self.connect(to: address, attempt)
      if PQstatus(connection) == CONNECTION_OK { break }
    }
    guard PQstatus(connection) == CONNECTION_OK else {
      let reason = address.clean(String(cString: PQerrorMessage(connection)))
      close()
      throw .lost(
        QueueProblem(
          .unavailable, "PostgreSQL at \(address.shown) cannot be used: \(reason)",
          hint: "check host, port, user, password and database of --queue, and that the server "
            + "runs; then the same command \(address.use.verb)" + address.protection.advice))
    }
    // Discard notices, which would otherwise go to standard error.
    PQsetNoticeProcessor(connection, { _, _ in }, nil)
    guard let encoding = PQparameterStatus(connection, "server_encoding"),
      ["UTF8", "SQL_ASCII"].contains(String(cString: encoding))
    else {
      close()
      throw .refused(
        QueueProblem(
          .usage, "the database at \(address.shown) is not in UTF-8",
          hint:
            "make one for the \(address.use.name): createdb --encoding=UTF8 --template=template0 NAME"
        ))
    }
    // Override the server's settings: a commit must be on disk when it returns.
    try script("SET synchronous_commit = on; SET search_path = \(address.schema)")
    try script("SET default_transaction_isolation = 'read committed'; SET statement_timeout = 0")
    // A suspended process must not keep its locks in an open transaction forever.
    try script("SET idle_in_transaction_session_timeout = '10s'")
  }

  deinit { close() }

  /// Whether a server responds at the address, whatever it would say to the login.
  package static func isServed(_ address: PostgresAddress) -> Bool {
    withParameters(of: address, address.protection.attempts.first ?? []) { keys, values in
      let answer = PQpingParams(keys, values, 1)
      return answer != PQPING_NO_RESPONSE && answer != PQPING_REJECT
    }
  }

  private static func connect(
    to address: PostgresAddress, _ attempt: [(name: String, value: String)]
  ) -> OpaquePointer? {
    withParameters(of: address, attempt) { PQconnectdbParams($0, $1, 1) }
  }

  private static func withParameters<Value>(
    of address: PostgresAddress, _ attempt: [(name: String, value: String)],
    _ body: ([UnsafePointer<CChar>?], [UnsafePointer<CChar>?]) -> Value
  ) -> Value {
    // The URL may override the settings before it, but not those after it. The keepalive settings detect a vanished
    // server within half a minute.
    let settings =
      [
        (name: "connect_timeout", value: "10"), ("keepalives_idle", "10"),
        ("keepalives_interval", "5"), ("keepalives_count", "3"), ("tcp_user_timeout", "20000"),
      ] + address.protection.defaults + [
        ("dbname", address.url.reveal()), ("client_encoding", "UTF8"),
        ("application_name", "luath \(address.use.command)"),
      ] + attempt
    let keys = texts(settings.map(\.name))
    let values = texts(settings.map(\.value))
    defer { for text in keys + values { free(text) } }
    return body(keys.map { UnsafePointer($0) }, values.map { UnsafePointer($0) })
  }

  private static func texts(_ texts: [String]) -> [UnsafeMutablePointer<CChar>?] {
    texts.map { strdup($0) } + [nil]
  }

  /// The server's version as a number: 150013 is 15.13.
  package var serverVersion: Int32 { PQserverVersion(connection) }

  /// Closes the connection; the server rolls back an open transaction and releases its locks.
  package func close() {
    PQfinish(connection)
    connection = nil
  }

  /// Runs SQL statements without parameters.
  package func script(_ sql: String) throws(PostgresFailure) {
    _ = try result(PQexec(connection, sql))
  }

  /// Does work in a transaction that excludes those that lock the same table.
  package func transaction<Value>(
    locking table: StaticString, _ body: () throws(PostgresFailure) -> Value
  ) throws(PostgresFailure) -> Value {
    try script("BEGIN; LOCK TABLE \(table) IN EXCLUSIVE MODE")
    do throws(PostgresFailure) {
      let value = try body()
      try script("COMMIT")
      return value
    } catch {
      try? script("ROLLBACK")
      throw error
    }
  }

  @discardableResult
  package func run(
    _ sql: StaticString, _ values: [PostgresValue] = []
  ) throws(PostgresFailure) -> PostgresRows {
    let encoded = values.map(\.encoded)
    let lengths = encoded.map { Int32($0.bytes.count) }
    let formats = encoded.map { Int32($0.isBinary ? 1 : 0) }
    let starts = encoded.map { value in
      let start = UnsafeMutablePointer<CChar>.allocate(capacity: value.bytes.count + 1)
      for (index, byte) in value.bytes.enumerated() { start[index] = CChar(bitPattern: byte) }
      start[value.bytes.count] = 0
      return start
    }
    defer { for start in starts { start.deallocate() } }
    return try result(
      PQexecParams(
        connection, sql.description, Int32(values.count), nil,
        starts.map { UnsafePointer($0) }, lengths, formats, 1))
  }

  private func result(_ answer: OpaquePointer?) throws(PostgresFailure) -> PostgresRows {
    let rows = PostgresRows(answer)
    let status = PQresultStatus(answer)
    if status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK { return rows }
    if let field = PQresultErrorField(answer, Int32(UInt8(ascii: "C"))) {
      // Use the primary message only, because the details quote values.
      let message = PQresultErrorField(answer, Int32(UInt8(ascii: "M")))
      throw PostgresFailure(
        state: String(cString: field),
        message: address.clean(message.map { String(cString: $0) } ?? "no reason given"),
        at: address.shown, of: address.use)
    }
    let reason = address.clean(String(cString: PQerrorMessage(connection)))
    throw .lost(
      QueueProblem(
        .unavailable, "the connection to PostgreSQL at \(address.shown) was lost: \(reason)",
        hint: address.use.again))
  }

  /// The notifications received since the last call; does not block.
  package func notifications() throws(PostgresFailure) -> [String] {
    guard PQconsumeInput(connection) == 1 else {
      throw .lost(
        QueueProblem(
          .unavailable, "the connection to PostgreSQL at \(address.shown) was lost",
          hint: address.use.again))
    }
    var texts: [String] = []
    while let notification = PQnotifies(connection) {
      texts.append(String(cString: notification.pointee.extra))
      PQfreemem(notification)
    }
    return texts
  }
}

extension PostgresValue {
  /// The value as libpq sends it: as text, or in the binary format of its type.
  fileprivate var encoded: (bytes: [UInt8], isBinary: Bool) {
    switch self {
    case .integer(let value): (Array(String(value).utf8), false)
    // PostgreSQL text cannot contain NUL.
    case .text(let text): (Self.plain(text), true)
    case .bytes(let bytes): (bytes, true)
    case .integers(let values):
      (Self.array(20, values.map { Self.bigEndian($0) }), true)
    case .texts(let texts): (Self.array(25, texts.map { Self.plain($0) }), true)
    case .blobs(let blobs): (Self.array(17, blobs), true)
    }
  }

  private static func plain(_ text: String) -> [UInt8] {
    text.utf8.contains(0)
      ? Array(
        text.split(separator: "\0", omittingEmptySubsequences: false).joined(separator: "\u{FFFD}")
          .utf8)
      : Array(text.utf8)
  }

  private static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { Array($0) }
  }

  /// The binary format of a one-dimensional array (PostgreSQL, `array_recv`).
  private static func array(_ type: Int32, _ elements: [[UInt8]?]) -> [UInt8] {
    var bytes = bigEndian(Int32(elements.isEmpty ? 0 : 1)) + bigEndian(Int32(0)) + bigEndian(type)
    guard !elements.isEmpty else { return bytes }
    bytes += bigEndian(Int32(elements.count)) + bigEndian(Int32(1))
    for element in elements {
      bytes += bigEndian(element.map { Int32($0.count) } ?? -1)
      if let element { bytes += element }
    }
    return bytes
  }
}

/// The result rows of a statement, with values in binary format.
package final class PostgresRows {
  private let result: OpaquePointer?

  init(_ result: OpaquePointer?) { self.result = result }

  deinit { PQclear(result) }

  package var count: Int32 { PQntuples(result) }

  /// The number of changed rows.
  package var changed: Int64 { Int64(String(cString: PQcmdTuples(result))) ?? 0 }

  package var indices: Range<Int32> { 0..<count }

  package func isNull(_ row: Int32, _ column: Int32) -> Bool {
    PQgetisnull(result, row, column) == 1
  }

  /// The integer or boolean in a column; 0 for NULL.
  package func integer(_ row: Int32, _ column: Int32) -> Int64 {
    let bytes = bytes(row, column)
    var value: Int64 = 0
    for byte in bytes { value = value << 8 | Int64(byte) }
    return bytes.count == 4 ? Int64(Int32(truncatingIfNeeded: value)) : value
  }

  /// The bytes in a column; empty for NULL.
  package func bytes(_ row: Int32, _ column: Int32) -> [UInt8] {
    Array(
      UnsafeRawBufferPointer(
        start: PQgetvalue(result, row, column), count: Int(PQgetlength(result, row, column))))
  }

  package func text(_ row: Int32, _ column: Int32) -> String {
    String(decoding: bytes(row, column), as: UTF8.self)
  }
}
