import HTTP
import Storage
import System

/// The channel for commands between the processes that share a journal, with its own connection and thread.
///
/// It also renews the lease when the journal writes nothing for a while.
final class PostgresControl: Sendable {
  private let channel: QueueChannel
  private let address: PostgresAddress
  private let streams: Streams

  private final class Streams: Sendable {
    struct State {
      var open: [AsyncStream<BatchControl>.Continuation] = []
      var isPaused = false
      var isStopped = false
    }

    let state = Guarded(State())

    func send(_ control: BatchControl) {
      let open = state.withLock { state in
        switch control {
        case .pause: state.isPaused = true
        case .resume: state.isPaused = false
        case .drain, .rate, .concurrency: break
        }
        return state.open
      }
      for stream in open { stream.yield(control) }
    }
  }

  private init(_ address: PostgresAddress, _ channel: QueueChannel, _ streams: Streams) {
    self.address = address
    self.channel = channel
    self.streams = streams
  }

  /// Connects and starts listening.
  static func start(
    _ address: PostgresAddress, runner: Int64, lease: Duration, patience: Duration,
    _ leaseClock: LeaseClock
  ) async throws(BatchProblem) -> PostgresControl {
    let streams = Streams()
    do throws(QueueProblem) {
      let channel = try await QueueChannel.start(
        address, QueueChannel.Runner(runner, lease: lease, leaseClock), thread: "luath-control",
        patience: patience
      ) { connection throws(PostgresFailure) in
        // Read the current state, which may have changed while this process was not listening.
        let budget = try connection.run("SELECT is_paused FROM budget WHERE id = 1")
        if budget.integer(0, 0) == 1 {
          streams.send(.pause)
        } else if streams.state.withLock(\.isPaused) {
          streams.send(.resume)
        }
      } notified: { text in
        if let control = BatchControl(text) { streams.send(control) }
      }
      return PostgresControl(address, channel, streams)
    } catch {
      throw BatchProblem(error)
    }
  }

  func stop() async {
    await channel.stop()
    let open = streams.state.withLock { streams in
      defer { streams.open = [] }
      streams.isStopped = true
      return streams.open
    }
    for stream in open { stream.finish() }
  }

  func controls() -> AsyncStream<BatchControl> {
    let (stream, continuation) = AsyncStream.makeStream(of: BatchControl.self)
    let isStopped = streams.state.withLock { streams in
      if streams.isPaused { continuation.yield(.pause) }
      if !streams.isStopped { streams.open.append(continuation) }
      return streams.isStopped
    }
    if isStopped { continuation.finish() }
    return stream
  }

  func send(_ control: BatchControl) async throws(BatchProblem) {
    try await perform { [address] connection throws(PostgresFailure) in
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
        "SELECT pg_notify($1, $2)", [.text(address.schema), .text(control.words)])
    }
  }

  func pace() async throws(BatchProblem) -> PostgresSharedRate {
    try await perform { connection throws(PostgresFailure) in
      let found = try connection.run("SELECT is_paused, rate::text FROM budget WHERE id = 1")
      return PostgresSharedRate(
        isPaused: found.integer(0, 0) == 1,
        rate: found.isNull(0, 1) ? nil : Double(found.text(0, 1)))
    }
  }

  func takeTokens(atMost count: Int) async throws(BatchProblem) -> Int {
    try await perform { connection throws(PostgresFailure) in
      // The bucket holds a fifth of a second's worth of calls, but at least one.
      let granted = try connection.run(
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

  private func perform<Value: Sendable>(
    _ body: @escaping @Sendable (PostgresConnection) throws(PostgresFailure) -> Value
  ) async throws(BatchProblem) -> Value {
    do throws(QueueProblem) { return try await channel.perform(body) } catch {
      throw BatchProblem(error)
    }
  }
}
