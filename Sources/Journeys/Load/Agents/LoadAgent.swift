import Glibc
import HTTP
import Storage
import Synchronization
import System

/// One agent of a load run that several processes share, on any machines.
///
/// While the server is away, the agent goes on with the shares that it has, and sends its figures afterwards.
final class LoadAgent: Sendable {
  /// How long an agent may give no sign while its connection holds.
  private static let lease = Duration.seconds(10)
  /// How long an agent may be without a connection.
  private static let grace = Duration.seconds(1)
  /// How long agents have to connect again after the server was away.
  private static let settling = Duration.seconds(5)
  /// How far in the future an epoch begins, in milliseconds, so that all agents have read it by then.
  private static let ahead = 500.0
  /// How long a lost server is waited for, where nothing goes on without it.
  static let patience = Duration.seconds(120)
  /// How long to wait for the other agents before the start.
  private static let joinLimit = Duration.seconds(600)
  /// How often to read the tables.
  private static let pause = Duration.milliseconds(200)
  /// How often to send figures.
  private static let sending = Duration.seconds(1)

  struct State {
    var share: AgentShare
    var watch = RunnerWatch(lease: LoadAgent.lease, grace: LoadAgent.grace)
    /// When the server was reached again after it was lost.
    var returned: ContinuousClock.Instant?
    var isConnected = false
    /// How many seconds of the timeline the server has.
    var sent = 0
    var serial: Int64 = 0
    var stoppedBy: String?
    var hasLeft = false
    var isLost = false
  }

  let slot: Int
  let count: Int
  private let tables: LoadTables
  private let channel: QueueChannel
  private let runner: Int64
  private let state: Mutex<State>
  private let notice: @Sendable (String) -> Void

  init(
    _ entry: AgentEntry, count: Int, _ tables: LoadTables, _ channel: QueueChannel,
    notice: @escaping @Sendable (String) -> Void
  ) {
    slot = entry.slot
    runner = entry.runner
    self.count = count
    self.tables = tables
    self.channel = channel
    self.notice = notice
    state = Mutex(State(share: AgentShare(slot: entry.slot, agents: count)))
  }

  /// Keeps this agent alive for the others from now on.
  func live() async throws(QueueProblem) {
    try await channel.keepAlive(
      QueueChannel.Runner(runner, lease: Self.lease, LeaseClock(lease: Self.lease)))
  }

  var share: AgentShare { state.withLock(\.share) }

  /// The limit that ended the run.
  var stoppedBy: String? { state.withLock(\.stoppedBy) }

  /// Whether the others took the share of this agent over.
  var isLost: Bool { state.withLock(\.isLost) }

  /// Notes a new connection; after an outage, the other agents need time to connect again.
  func connected() {
    state.withLock { state in
      if state.isConnected { state.returned = .now }
      state.isConnected = true
      state.watch.restart(at: .now)
    }
  }

  private func printNotice(_ text: String) { notice("agent \(slot + 1) of \(count): \(text)") }

  // MARK: The start

  /// Waits until all agents are ready, and returns when the run begins; nil if this one was stopped before.
  func ready(_ clock: LoadClock) async throws(QueueProblem) -> ContinuousClock.Instant? {
    let offset = try await offset()
    let start = ContinuousClock.now
    var missing = 0
    while true {
      if clock.wasStopped {
        await leave()
        return nil
      }
      let (began, agents) = try await meet()
      if let began { return offset.instant(of: began) }
      if count - agents.count != missing {
        missing = count - agents.count
        if missing > 0 { printNotice("waits for \(missing) more") }
      }
      guard start.duration(to: .now) < Self.joinLimit else {
        await leave()
        let names = agents.map { $0.isReady ? $0.name : "\($0.name), which still loads its users" }
        throw QueueProblem(
          .unavailable,
          "only \(agents.count) of \(count) agents came within \(Int(Self.joinLimit / .seconds(60))) minutes: "
            + names.joined(separator: "; "),
          hint: "start all of them with the same command, or give --agents a lower number")
      }
      try? await Task.sleep(for: Self.pause)
    }
  }

  /// Sets the start if all agents are ready; returns it and the agents that have joined.
  private func meet() async throws(QueueProblem) -> (Int64?, [LoadTables.Agent]) {
    try await channel.perform { [self, tables, slot, count] connection throws(PostgresFailure) in
      try endDead(connection)
      return try tables.transaction(connection) { () throws(PostgresFailure) in
        if let began = try tables.run(connection)?.began {
          return (began as Int64?, try tables.agents(connection))
        }
        try tables.removeDead(connection)
        try tables.setReady(slot, connection)
        let agents = try tables.agents(connection)
        guard agents.contains(where: { $0.slot == slot }) else { throw Self.replacedFailure }
        guard agents.count == count, agents.allSatisfy(\.isReady) else { return (nil, agents) }
        try tables.begin(after: 1_000_000, connection)
        return (try tables.run(connection)?.began, agents)
      }
    }
  }

  /// The problem of an agent that the others count as dead.
  static let replaced = QueueProblem(
    .inUse, "the other agents took the share of this one over, as it gave no sign for too long",
    hint: "see whether its machine was suspended or lost the network")

  private static let replacedFailure = PostgresFailure.refused(replaced)

  /// The server's clock, by the clock of this process.
  private struct Offset {
    let base: ContinuousClock.Instant
    /// The server's microseconds since 1970 at `base`.
    let time: Int64

    func instant(of time: Int64) -> ContinuousClock.Instant {
      base + .microseconds(time - self.time)
    }
  }

  /// Measures the offset: the median of some round trips.
  private func offset() async throws(QueueProblem) -> Offset {
    let base = ContinuousClock.now
    return try await channel.perform { [tables] connection throws(PostgresFailure) in
      var times: [Int64] = []
      for _ in 0..<7 {
        let before = base.duration(to: .now)
        let time = try tables.time(connection)
        let middle = (before + base.duration(to: .now)) / 2
        times.append(time - Int64(middle / .microseconds(1)))
      }
      return Offset(base: base, time: times.sorted()[times.count / 2])
    }
  }

  /// Leaves before the start; another process may take the place.
  func leave() async {
    try? await channel.perform(patience: .seconds(1)) {
      [tables, runner] connection throws(PostgresFailure) in
      try tables.end(runner, connection)
      try tables.transaction(connection) { () throws(PostgresFailure) in
        if try tables.run(connection)?.began == nil { try tables.removeDead(connection) }
      }
    }
    await channel.stop()
  }

  // MARK: The run

  /// Takes shares over, sends figures and judges limits until the task is cancelled.
  func follow(_ clock: LoadClock, _ plan: LoadPlan, isLeaving: @escaping @Sendable () -> Bool) async
  {
    // Another task, because the server may keep this one waiting.
    let beating = Task {
      while !Task.isCancelled {
        clock.beat()
        try? await Task.sleep(for: Self.pause / 2)
      }
    }
    defer { beating.cancel() }
    var sent = ContinuousClock.now
    var rest = Self.sending
    while !Task.isCancelled, !isLost {
      try? await Task.sleep(for: Self.pause)
      let began = ContinuousClock.now
      // While the server is away, the agent keeps its share.
      defer { if !isLost { clock.release(readAt: began) } }
      // The next refresh reports what failed here.
      do throws(QueueProblem) {
        if isLeaving() { try await markLeft(clock, patience: .zero) }
        try await refresh(clock, patience: .zero)
        if isLost { break }
        clock.release(readAt: began)
        guard sent.duration(to: .now) >= rest else { continue }
        sent = .now
        try await send(clock, isFinal: false, patience: .zero)
        try await judge(clock, plan)
        // Figures of many endpoints take long to encode.
        rest = max(Self.sending, sent.duration(to: .now) * 10)
      } catch {
        continue
      }
    }
  }

  private func markLeft(_ clock: LoadClock, patience: Duration) async throws(QueueProblem) {
    guard !state.withLock(\.hasLeft) else { return }
    let share = share
    try await channel.perform(patience: patience) {
      [tables, slot] connection throws(PostgresFailure) in
      try tables.transaction(connection) { () throws(PostgresFailure) in
        let now = clock.now
        try tables.leave(slot, at: now, connection)
        try tables.update(
          at: now, first: clock.arrivals(before: now + Self.ahead), share, connection)
      }
    }
    state.withLock { $0.hasLeft = true }
  }

  /// Finds dead agents, and takes note of new epochs; returns the agents.
  @discardableResult
  private func refresh(
    _ clock: LoadClock, patience: Duration
  ) async throws(QueueProblem) -> [LoadTables.Agent] {
    let share = share
    let seen = try await channel.perform(patience: patience) {
      [self, tables] connection throws(PostgresFailure) in
      try endDead(connection)
      var agents = try tables.agents(connection)
      if agents.contains(where: { $0.isDead && $0.state == "live" && !$0.isFinal }) {
        agents = try tables.transaction(connection) { () throws(PostgresFailure) in
          let now = clock.now
          try tables.update(
            at: now, first: clock.arrivals(before: now + Self.ahead), share, connection)
          return try tables.agents(connection)
        }
      }
      return (
        agents: agents, run: try tables.run(connection),
        epochs: try tables.epochs(after: share.epochs.count, connection)
      )
    }
    state.withLock { state in
      state.stoppedBy = seen.run?.stoppedBy
      for epoch in seen.epochs { state.share.add(epoch) }
      state.isLost = seen.agents.first { $0.slot == slot }?.state == "lost"
    }
    for epoch in seen.epochs { clock.add(epoch) }
    return seen.agents
  }

  /// Ends the runners of dead agents, unless they may not have connected again after the server was away.
  ///
  /// Call it on the channel's thread, where the connection may be a new one.
  private func endDead(_ connection: PostgresConnection) throws(PostgresFailure) {
    var (watch, returned) = state.withLock { ($0.watch, $0.returned) }
    if let returned, returned.duration(to: .now) <= Self.settling { return }
    _ = try watch.endDead(in: tables.address.schema, except: runner, on: connection)
    state.withLock { $0.watch = watch }
  }

  private func send(
    _ clock: LoadClock, isFinal: Bool, patience: Duration
  ) async throws(QueueProblem) {
    let figures = clock.figures
    let (first, serial) = state.withLock { state in
      state.serial += 1
      return (state.sent, state.serial)
    }
    let seconds = figures.tally.seconds.dropFirst(first).map {
      (number: $0.second, data: $0.part.encodedBytes())
    }
    let bytes = figures.encoded
    let isTaken = try await channel.perform(patience: patience) {
      [tables, slot] connection throws(PostgresFailure) in
      try tables.transaction(connection) { () throws(PostgresFailure) in
        try tables.write(bytes, seconds, of: slot, serial: serial, isFinal: isFinal, connection)
      }
    }
    state.withLock { state in
      state.isLost = !isTaken
      // The last two seconds may still change.
      state.sent = max(first, figures.tally.seconds.count - 2)
    }
  }

  /// Ends the run if a limit is missed; the first agent that is alive judges.
  private func judge(_ clock: LoadClock, _ plan: LoadPlan) async throws(QueueProblem) {
    guard let delay = plan.abortDelay, clock.measured > delay, clock.isRunning,
      share.epochs.last?.live.first == slot
    else { return }
    let tally = try await figures(patience: .zero, hasSeconds: false).merged
    guard let missed = clock.missed(plan.thresholds, in: tally) else { return }
    try await channel.perform(patience: .zero) { [tables] connection throws(PostgresFailure) in
      try tables.stop(missed.description, connection)
    }
  }

  private func figures(
    patience: Duration, hasSeconds: Bool = true
  ) async throws(QueueProblem) -> [Int: AgentFigures] {
    try await channel.perform(patience: patience) { [tables] connection throws(PostgresFailure) in
      try tables.figures(hasSeconds: hasSeconds, connection)
    }
  }

  // MARK: The end

  /// Sends the last figures, waits for those of the others, and returns them all.
  ///
  /// - Parameter isLeaving: Whether not to wait, because the user ended this agent.
  func finish(
    _ clock: LoadClock, isLeaving: @escaping @Sendable () -> Bool
  ) async throws(QueueProblem) -> LoadTeam {
    let patience = isLeaving() ? Duration.seconds(5) : Self.patience
    if isLeaving() { try await markLeft(clock, patience: patience) }
    try await send(clock, isFinal: true, patience: patience)
    guard !isLost else { throw Self.replaced }
    let start = ContinuousClock.now
    var awaited: [Int] = []
    var agents = try await refresh(clock, patience: patience)
    while agents.contains(where: \.isAwaited), !isLeaving() {
      let missing = agents.filter(\.isAwaited)
      // Most agents end at about the same time.
      if start.duration(to: .now) > .seconds(2), missing.map(\.slot) != awaited {
        awaited = missing.map(\.slot)
        let names = missing.map { "\($0.slot + 1) (\($0.name))" }.joined(separator: ", ")
        printNotice("waits for the figures of \(missing.count == 1 ? "agent" : "agents") \(names)")
      }
      try? await Task.sleep(for: Self.pause)
      agents = try await refresh(clock, patience: patience)
    }
    let figures = try await figures(patience: patience)
    try? await channel.perform(patience: .zero) {
      [tables, runner] connection throws(PostgresFailure) in
      try tables.end(runner, connection)
    }
    await channel.stop()
    return LoadTeam(own: slot, agents, figures, share, clock)
  }
}

extension [Int: AgentFigures] {
  /// The counts of all agents, in the order of their slots, so that every agent gets the same sums.
  var merged: LoadTally {
    var tally = LoadTally()
    for slot in keys.sorted() { if let part = self[slot] { tally.add(part.tally) } }
    return tally
  }
}
