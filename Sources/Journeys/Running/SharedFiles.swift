import Glibc
import HTTP
import Host
import Storage
import Synchronization
import System

/// The files of a run that the shards of `luath test --queue` share, in a PostgreSQL database.
///
/// A process takes one part after the other. When it dies, the others run all its parts again, also those that had
/// ended, because its reports are lost with it.
final class SharedFiles: FileSource {
  /// How long a process may give no sign of life before the others take its parts.
  static let lease = Duration.seconds(60)
  /// How long a call waits for a server that is away.
  private static let patience = Duration.seconds(120)
  private static let pause = Duration.milliseconds(250)

  private let channel: QueueChannel
  private let address: PostgresAddress
  private let runner: Int64
  private let files: [String: PlannedFile]
  private let say: @Sendable (String) -> Void
  private let others: OtherProcesses
  private let state = Mutex(State())

  /// Which of the other processes are alive.
  private final class OtherProcesses: Sendable {
    let watch = Mutex(RunnerWatch(lease: SharedFiles.lease))
  }

  private struct State {
    /// The keys of the parts that workers of this process have.
    var held: Set<String> = []
    /// The journeys that this process has taken.
    var journeys: [String] = []
    var problem: QueueProblem?
    var hasSaidThatItWaits = false
  }

  private init(
    _ channel: QueueChannel, _ address: PostgresAddress, runner: Int64,
    _ files: [String: PlannedFile], _ others: OtherProcesses,
    say: @escaping @Sendable (String) -> Void
  ) {
    self.others = others
    self.channel = channel
    self.address = address
    self.runner = runner
    self.files = files
    self.say = say
  }

  /// Joins the run that the address names, or begins it.
  ///
  /// - Parameters:
  ///   - chosen: The selected journeys, the same in all shards.
  ///   - durations: Earlier durations in milliseconds, by id, so that the longest parts are taken first.
  ///   - notice: Called with what is waited for before the run.
  ///   - say: Called with messages during the run.
  /// - Throws: If another process is this shard, if the other shards selected other journeys, or if the server fails.
  static func join(
    _ address: PostgresAddress, as shard: Shard, _ chosen: ChosenJourneys,
    durations: [String: Double], notice: @escaping @Sendable (String) -> Void,
    say: @escaping @Sendable (String) -> Void
  ) async throws(QueueProblem) -> SharedFiles {
    let units = chosen.units(durations).sorted { $0.duration > $1.duration }
    try await PostgresOpening.wait(
      for: address, patience: patience, unless: { Interrupts.hasCome }, notice: notice)
    let place = "\(Machine.name.printable)/\(getpid())"
    let others = OtherProcesses()
    let channel = try await QueueChannel.start(
      address, thread: "luath-queue", patience: patience
    ) { _ throws(PostgresFailure) in
      // If the server was away, the others need time to connect again too.
      others.watch.withLock { $0.restart(at: .now) }
    } notified: { _ in
    }
    do throws(QueueProblem) {
      let runner = try await channel.perform { connection throws(PostgresFailure) in
        try SharedFileTables(connection: connection, address: address)
          .join(shard, units.map(\.key), at: place, lease: Int64(lease / .milliseconds(1)))
      }
      try await channel.keepAlive(
        QueueChannel.Runner(runner, lease: lease, LeaseClock(lease: lease)))
      let files = Dictionary(
        units.map { ($0.key, $0.file) }, uniquingKeysWith: { first, _ in first })
      return SharedFiles(channel, address, runner: runner, files, others, say: say)
    } catch {
      await channel.stop()
      throw error
    }
  }

  var count: Int { files.count }

  var journeys: [String] { state.withLock(\.journeys) }

  /// Why this process could not take part to the end; nil if it could.
  var problem: QueueProblem? { state.withLock(\.problem) }

  func next(unless isOver: @Sendable () -> Bool) async -> PlannedFile? {
    while !isOver(), problem == nil {
      // What a worker has got is recorded on the channel's thread, before another worker asks.
      let next = await perform { tables, watch throws(PostgresFailure) in
        let held = self.state.withLock { $0.held.sorted() }
        let next = try tables.next(for: self.runner, holding: held, &watch)
        if case .part(let key) = next { self.state.withLock { _ = $0.held.insert(key) } }
        return next
      }
      guard let next else { return nil }
      switch next {
      case .nothing: return nil
      case .part(let key):
        guard let file = files[key] else { return nil }
        state.withLock { $0.journeys += file.journeys.map(\.id) }
        return file
      case .wait(let shards):
        sayThatItWaits(for: shards)
        try? await Task.sleep(for: Self.pause)
      }
    }
    return nil
  }

  private func sayThatItWaits(for shards: [Int64]) {
    let isNew = state.withLock { state in
      defer { state.hasSaidThatItWaits = true }
      return !state.hasSaidThatItWaits && state.held.isEmpty
    }
    guard isNew, !shards.isEmpty else { return }
    let names = shards.map(String.init).joined(separator: ", ")
    say("no file is left; waiting for shard \(names), whose journeys run here if its process dies")
  }

  func ended(_ file: PlannedFile) async {
    guard let key = file.units.first?.key else { return }
    await perform { tables, _ throws(PostgresFailure) in
      try tables.end(key, of: self.runner)
      self.state.withLock { _ = $0.held.remove(key) }
    }
  }

  /// Leaves the run; the others take what this process has not run.
  func leave() async {
    await perform(patience: .seconds(10)) { tables, _ throws(PostgresFailure) in
      try tables.leave(self.runner)
    }
    await channel.stop()
  }

  /// Runs statements; nil if they failed, for which the run ends.
  @discardableResult
  private func perform<Value: Sendable>(
    patience: Duration = patience,
    _ body:
      @escaping @Sendable (SharedFileTables, inout RunnerWatch) throws(PostgresFailure) ->
      Value
  ) async -> Value? {
    do throws(QueueProblem) {
      return try await channel.perform(patience: patience) { connection throws(PostgresFailure) in
        try self.others.watch.withLock { watch throws(PostgresFailure) in
          try body(SharedFileTables(connection: connection, address: self.address), &watch)
        }
      }
    } catch {
      state.withLock { $0.problem = $0.problem ?? error }
      return nil
    }
  }
}
