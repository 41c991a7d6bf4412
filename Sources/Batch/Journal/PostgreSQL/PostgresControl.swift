import System
import HTTP

/// The channel for commands between the processes that share a journal, with its own connection and thread.
///
/// It also renews the lease when the journal writes nothing for a while.
// Sendable, because a mutex guards its streams and only the loop's thread uses its other state.
final class PostgresControl: @unchecked Sendable {
  /// How often to check for notifications.
  private static let interval = Duration.milliseconds(100)

  private let loop: EventLoop
  private let address: PostgresAddress
  private let runner: Int64
  private let lease: Int64
  private let patience: Duration
  private let leaseClock: LeaseClock
  private let streams = Guarded(Streams())

  private var connection: PostgresConnection?
  /// Whether the connection holds the advisory lock that marks this process as alive.
  private var isMarked = false
  private var lastSign = ContinuousClock.now
  private var retryAt = ContinuousClock.now
  private var isPaused = false
  private var isStopped = false

  private struct Streams {
    var open: [AsyncStream<BatchControl>.Continuation] = []
    var isPaused = false
    var isStopped = false
  }

  private init(
    _ address: PostgresAddress, runner: Int64, lease: Duration, patience: Duration,
    _ leaseClock: LeaseClock, loop: EventLoop
  ) {
    self.leaseClock = leaseClock
    self.address = address
    self.runner = runner
    self.lease = Int64(lease / .milliseconds(1))
    self.patience = patience
    self.loop = loop
  }

  /// Connects and starts listening.
  static func start(
    _ address: PostgresAddress, runner: Int64, lease: Duration, patience: Duration,
    _ leaseClock: LeaseClock
  ) async throws(BatchProblem) -> PostgresControl {
    let loop = try EventLoop.started("luath-control") { BatchProblem($0) }
    let control = PostgresControl(
      address, runner: runner, lease: lease, patience: patience, leaseClock, loop: loop)
    do throws(BatchProblem) {
      try await control.perform { control throws(PostgresFailure) in
        _ = try control.connected()
        control.watch()
      }
    } catch {
      loop.stop()
      throw error
    }
    return control
  }

  func stop() async {
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      loop.perform {
        self.isStopped = true
        self.connection?.close()
        self.connection = nil
        continuation.resume()
      }
    }
    let open = streams.withLock { streams in
      defer { streams.open = [] }
      streams.isStopped = true
      return streams.open
    }
    for stream in open { stream.finish() }
    loop.stop()
  }

  func controls() -> AsyncStream<BatchControl> {
    let (stream, continuation) = AsyncStream.makeStream(of: BatchControl.self)
    let isStopped = streams.withLock { streams in
      if streams.isPaused { continuation.yield(.pause) }
      if !streams.isStopped { streams.open.append(continuation) }
      return streams.isStopped
    }
    if isStopped { continuation.finish() }
    return stream
  }

  func send(_ control: BatchControl) async throws(BatchProblem) {
    try await perform { this throws(PostgresFailure) in
      let connection = try this.connected()
      switch control {
      case .pause: try connection.run("UPDATE budget SET is_paused = true")
      case .resume: try connection.run("UPDATE budget SET is_paused = false")
      case .rate(let rate):
        // Discard tokens saved at the old rate.
        try connection.run(
          """
          UPDATE budget SET rate = nullif($1, '')::double precision, tokens = 0,
            filled = clock_timestamp()
          """, [.text(rate.map { "\($0)" } ?? "")])
      case .drain, .concurrency: break
      }
      try connection.run(
        "SELECT pg_notify($1, $2)", [.text(this.address.schema), .text(control.words)])
    }
  }

  func pace() async throws(BatchProblem) -> PostgresSharedRate {
    try await perform { this throws(PostgresFailure) in
      let found = try this.connected().run("SELECT is_paused, rate::text FROM budget WHERE id = 1")
      return PostgresSharedRate(
        isPaused: found.integer(0, 0) == 1,
        rate: found.isNull(0, 1) ? nil : Double(found.text(0, 1)))
    }
  }

  func takeTokens(atMost count: Int) async throws(BatchProblem) -> Int {
    try await perform { this throws(PostgresFailure) in
      // The bucket holds a fifth of a second's worth of calls, but at least one.
      let granted = try this.connected().run(
        """
        WITH full_bucket AS (
          SELECT rate, clock_timestamp() AS now, least(greatest(rate / 5, 1), tokens
            + rate * greatest(extract(epoch FROM clock_timestamp() - filled), 0)::double precision
          ) AS tokens FROM budget WHERE id = 1 FOR UPDATE),
        granted AS (
          SELECT now, rate, tokens, CASE WHEN rate IS NULL THEN $1::bigint
            ELSE floor(least($1::bigint, greatest(tokens, 0)))::bigint END AS count
          FROM full_bucket)
        UPDATE budget SET filled = g.now,
          tokens = CASE WHEN g.rate IS NULL THEN 0 ELSE g.tokens - g.count END
        FROM granted g WHERE budget.id = 1 RETURNING g.count
        """, [.integer(Int64(count))])
      return Int(granted.integer(0, 0))
    }
  }

  // MARK: On the loop's thread

  /// Runs work on the loop's thread; repeats it if the connection was lost.
  private func perform<Value: Sendable>(
    _ body: @escaping @Sendable (PostgresControl) throws(PostgresFailure) -> Value
  ) async throws(BatchProblem) -> Value {
    let start = ContinuousClock.now
    while true {
      let result = await withUnsafeContinuation {
        (continuation: UnsafeContinuation<Result<Value, PostgresFailure>, Never>) in
        loop.perform {
          continuation.resume(
            returning: Result { () throws(PostgresFailure) in
              do throws(PostgresFailure) {
                return try body(self)
              } catch .lost(let problem) {
                self.disconnect()
                throw .lost(problem)
              }
            })
        }
      }
      switch result {
      case .success(let value): return value
      case .failure(.refused(let problem)): throw problem
      case .failure(.lost(let problem)):
        guard start.duration(to: .now) < patience else { throw problem }
        do { try await loop.sleep(for: .milliseconds(250)) } catch { throw problem }
      }
    }
  }

  private func connected() throws(PostgresFailure) -> PostgresConnection {
    if let connection { return connection }
    guard !isStopped else {
      throw .refused(
        BatchProblem(
          .unavailable, "the journal is closed", hint: "this is a fault of luath: please report it")
      )
    }
    let connection = try PostgresConnection(address)
    try connection.script("LISTEN \(address.schema)")
    // Read the current state, which may have changed while this process was not listening.
    let budget = try connection.run("SELECT is_paused FROM budget WHERE id = 1")
    self.connection = connection
    try mark(connection)
    if budget.integer(0, 0) == 1 { tell(.pause) } else if isPaused { tell(.resume) }
    return connection
  }

  /// Takes the lock that ends with the connection; a broken connection may still hold it for a while.
  private func mark(_ connection: PostgresConnection) throws(PostgresFailure) {
    isMarked =
      try connection.run(
        "SELECT pg_try_advisory_lock(hashtext($1), $2::bigint::integer)",
        [.text(address.schema), .integer(runner)]
      ).integer(0, 0) == 1
  }

  private func disconnect() {
    connection?.close()
    connection = nil
    isMarked = false
    retryAt = .now + .milliseconds(500)
  }

  private func watch() {
    guard !isStopped else { return }
    if connection != nil || retryAt <= .now {
      do throws(PostgresFailure) {
        try look()
      } catch {
        // If the outage continues, the next call that needs the server reports it.
        disconnect()
      }
    }
    loop.schedule(after: Self.interval) { self.watch() }
  }

  private func look() throws(PostgresFailure) {
    let connection = try connected()
    if !isMarked { try mark(connection) }
    for text in try connection.notifications() {
      if let control = BatchControl(text) { tell(control) }
    }
    guard lastSign.duration(to: .now) / .milliseconds(1) > Double(lease) / 3 else { return }
    let began = ContinuousClock.now
    let renewed = try connection.run(
      """
      UPDATE runners SET until = clock_timestamp() + $2::bigint * interval '1 millisecond'
      WHERE id = $1::bigint AND NOT is_ended
      """, [.integer(runner), .integer(lease)])
    if renewed.changed == 1 { leaseClock.renew(at: began) }
    lastSign = .now
  }

  private func tell(_ control: BatchControl) {
    switch control {
    case .pause: isPaused = true
    case .resume: isPaused = false
    case .drain, .rate, .concurrency: break
    }
    let isPaused = isPaused
    let open = streams.withLock { streams in
      streams.isPaused = isPaused
      return streams.open
    }
    for stream in open { stream.yield(control) }
  }
}
