internal import HTTP
internal import System

/// A connection to a shared queue on its own thread, which receives notifications and connects again when it is lost.
///
/// It also holds the lock that marks a runner as alive, and renews its lease.
// Sendable, because only the loop's thread uses its state.
package final class QueueChannel: @unchecked Sendable {
  /// The runner that the connection keeps alive.
  package struct Runner: Sendable {
    let id: Int64
    /// Milliseconds.
    let lease: Int64
    let clock: LeaseClock

    package init(_ id: Int64, lease: Duration, _ clock: LeaseClock) {
      self.id = id
      self.lease = Int64(lease / .milliseconds(1))
      self.clock = clock
    }
  }

  /// How often to check for notifications.
  private static let interval = Duration.milliseconds(100)

  private let loop: EventLoop
  private let address: PostgresAddress
  private let patience: Duration
  /// Called with each new connection, before it is used.
  private let connected: @Sendable (PostgresConnection) throws(PostgresFailure) -> Void
  private let notified: @Sendable (String) -> Void

  private var runner: Runner?
  private var connection: PostgresConnection?
  /// Whether the connection holds the advisory lock that marks this process as alive.
  private var isMarked = false
  private var lastSign = ContinuousClock.now
  private var retryAt = ContinuousClock.now
  private var isStopped = false

  private init(
    _ address: PostgresAddress, _ runner: Runner?, patience: Duration, loop: EventLoop,
    connected: @escaping @Sendable (PostgresConnection) throws(PostgresFailure) -> Void,
    notified: @escaping @Sendable (String) -> Void
  ) {
    self.address = address
    self.runner = runner
    self.patience = patience
    self.loop = loop
    self.connected = connected
    self.notified = notified
  }

  /// Connects and starts to listen for notifications of the address's schema.
  ///
  /// - Parameters:
  ///   - thread: The thread's name.
  ///   - patience: How long `perform` waits for a lost server.
  ///   - connected: Called on the thread with each new connection, before it is used.
  ///   - notified: Called on the thread with the text of each notification.
  package static func start(
    _ address: PostgresAddress, _ runner: Runner? = nil, thread: String, patience: Duration,
    connected: @escaping @Sendable (PostgresConnection) throws(PostgresFailure) -> Void,
    notified: @escaping @Sendable (String) -> Void
  ) async throws(QueueProblem) -> QueueChannel {
    let loop = try EventLoop.started(thread) {
      QueueProblem(.unavailable, $0.message, hint: $0.hint)
    }
    let channel = QueueChannel(
      address, runner, patience: patience, loop: loop, connected: connected, notified: notified)
    do throws(QueueProblem) {
      try await channel.perform { _ throws(PostgresFailure) in channel.watch() }
    } catch {
      loop.stop()
      throw error
    }
    return channel
  }

  /// Closes the connection, after the work that was given before.
  package func stop() async {
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      loop.perform {
        self.isStopped = true
        self.connection?.close()
        self.connection = nil
        continuation.resume()
      }
    }
    loop.stop()
  }

  /// Marks a runner as alive from now on, and renews its lease.
  package func keepAlive(_ runner: Runner) async throws(QueueProblem) {
    try await perform { connection throws(PostgresFailure) in
      self.runner = runner
      try self.mark(connection)
    }
  }

  /// Runs work on the thread; repeats it from its start if the connection was lost.
  ///
  /// - Parameter patience: How long to wait for a lost server, if it differs from the channel's.
  package func perform<Value: Sendable>(
    patience: Duration? = nil,
    _ body: @escaping @Sendable (PostgresConnection) throws(PostgresFailure) -> Value
  ) async throws(QueueProblem) -> Value {
    let start = ContinuousClock.now
    while true {
      let result = await withUnsafeContinuation {
        (continuation: UnsafeContinuation<Result<Value, PostgresFailure>, Never>) in
        loop.perform {
          continuation.resume(
            returning: Result { () throws(PostgresFailure) in
              do throws(PostgresFailure) {
                return try body(self.open())
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
        guard start.duration(to: .now) < patience ?? self.patience else { throw problem }
        do { try await loop.sleep(for: .milliseconds(250)) } catch { throw problem }
      }
    }
  }

  // MARK: On the loop's thread

  private func open() throws(PostgresFailure) -> PostgresConnection {
    if let connection { return connection }
    guard !isStopped else {
      throw .refused(
        QueueProblem(
          .unavailable, "the \(address.use.noun) is closed",
          hint: "this is a fault of luath: please report it"))
    }
    let connection = try PostgresConnection(address)
    try connection.script("LISTEN \(address.schema)")
    try connected(connection)
    self.connection = connection
    try mark(connection)
    return connection
  }

  /// Takes the lock that ends with the connection; a broken connection may still hold it for a while.
  private func mark(_ connection: PostgresConnection) throws(PostgresFailure) {
    guard let runner else { return }
    isMarked =
      try connection.run(
        "SELECT pg_try_advisory_lock(hashtext($1), $2::bigint::integer)",
        [.text(address.schema), .integer(runner.id)]
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
    let connection = try open()
    if !isMarked { try mark(connection) }
    for text in try connection.notifications() { notified(text) }
    guard let runner, lastSign.duration(to: .now) / .milliseconds(1) > Double(runner.lease) / 3
    else { return }
    let began = ContinuousClock.now
    let renewed = try connection.run(
      """
      UPDATE runners SET until = clock_timestamp() + $2::bigint * interval '1 millisecond'
      WHERE id = $1::bigint AND NOT is_ended
      """, [.integer(runner.id), .integer(runner.lease)])
    if renewed.changed == 1 { runner.clock.renew(at: began) }
    lastSign = .now
  }
}
