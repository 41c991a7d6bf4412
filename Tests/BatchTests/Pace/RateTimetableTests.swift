@testable import Batch
@testable import HTTP
@testable import Host
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct RateTimetableTests {
  private static func second(_ hour: Int, _ minute: Int = 0) -> Int { hour * 3600 + minute * 60 }

  @Test func `a plain rate applies at all times`() throws {
    let table = try RateTimetable("0.5")
    #expect(table.isConstant)
    #expect(table.rate(at: 0) == 0.5)
    #expect(table.rate(at: 86_399) == 0.5)
    #expect(table.spans(from: 5).isEmpty)
  }

  @Test func `windows apply from their start up to their end, also over midnight`() throws {
    let table = try RateTimetable("22:00-06:00=400,12:00-13:30=0,50")
    for (hour, minute, rate) in [
      (21, 59, 50.0), (22, 0, 400), (23, 59, 400), (0, 0, 400), (5, 59, 400), (6, 0, 50),
      (12, 0, 0), (13, 29, 0), (13, 30, 50),
    ] {
      #expect(table.rate(at: Self.second(hour, minute)) == rate, "\(hour):\(minute)")
    }
    #expect(table.lowest == 50)
    let day = try RateTimetable("0:00-08:00=10,08:00-24:00=off")
    #expect(day.rate(at: Self.second(7, 59)) == 10)
    #expect(day.rate(at: Self.second(23, 59)) == .infinity)
    let whole = try RateTimetable("00:00-24:00=5")
    #expect(whole.rate(at: 0) == 5 && whole.rate(at: 86_399) == 5)
    #expect(whole.spans(from: Self.second(7)).allSatisfy { $0.rate == 5 })
    #expect(whole.spans(from: Self.second(7)).reduce(0) { $0 + $1.seconds } == 86_400)
    #expect(try RateTimetable("50,22:00-06:00=400").rate(at: Self.second(23)) == 400)
  }

  private static let mistakes: [(String, String)] = [
    ("fast", "--rate takes calls a second from 0.01 to 1000000, not 'fast'"),
    ("0", "--rate takes calls a second from 0.01 to 1000000, not '0'"),
    ("off", "--rate takes calls a second from 0.01 to 1000000, not 'off'"),
    ("-5", "--rate takes calls a second from 0.01 to 1000000, not '-5'"),
    ("", "--rate takes calls a second from 0.01 to 1000000, not ''"),
    ("22:00-06:00=400,", "--rate takes calls a second from 0.01 to 1000000, not ''"),
    (
      "22:00-06:00=nan,50",
      "--rate takes calls a second from 0.01 to 1000000, not '22:00-06:00=nan'"
    ),
    ("22-06=400,50", "'22-06' of --rate is no time of day"),
    ("22:00=400,50", "'22:00' of --rate is no time of day"),
    ("24:00-06:00=400,50", "'24:00-06:00' of --rate is no time of day"),
    ("22:60-23:00=400,50", "'22:60-23:00' of --rate is no time of day"),
    ("22:0-23:00=400,50", "'22:0-23:00' of --rate is no time of day"),
    ("+2:00-23:00=400,50", "'+2:00-23:00' of --rate is no time of day"),
    ("22:00-22:00=400,50", "the window 22:00-22:00 of --rate has no end"),
    ("0:00-0:00=400", "the window 0:00-0:00 of --rate has no end"),
    ("22:00-06:00=400,05:59-07:00=9,50", "--rate has two rates at 05:59"),
    ("22:00-06:00=400", "--rate has no rate for the times outside of its windows"),
    ("22:00-06:00=400,50,60", "--rate has two rates without a time"),
    (
      "0:00-12:00=1,12:00-0:00=2,3",
      "the windows of --rate fill the day, so the rate without a time never applies"
    ),
  ]

  @Test(arguments: mistakes) func `a mistake is named with its place`(
    _ text: String, _ message: String
  ) {
    let error = #expect(throws: UsageError.self) { try RateTimetable(text) }
    #expect(error?.message == message)
  }

  @Test func `the rates of the next day follow each other`() throws {
    let table = try RateTimetable("22:00-06:00=400,50")
    #expect(
      table.spans(from: Self.second(21)) == [
        .init(seconds: 3600, rate: 50), .init(seconds: 8 * 3600, rate: 400),
        .init(seconds: 15 * 3600, rate: 50),
      ])
    #expect(
      table.spans(from: Self.second(22)) == [
        .init(seconds: 8 * 3600, rate: 400), .init(seconds: 16 * 3600, rate: 50),
      ])
  }

  /// The status of a run that works at 50 calls and 25 rows a second.
  private func status(_ table: String, at second: Int, left: Int64, learned: Double? = nil) throws
    -> BatchStatus
  {
    let table = try RateTimetable(table)
    var status = BatchStatus()
    status.tally.rows = [.waiting: left]
    (status.rate, status.rowRate) = (50, 25)
    let rate = table.rate(at: second)
    status.limit = rate.isFinite ? rate : nil
    status.learned = learned
    status.spans = table.spans(from: second)
    return status
  }

  @Test func `the remaining time counts the rates to come`() throws {
    let evening = Self.second(21)
    // All of it at 25 rows a second.
    #expect(try status("50", at: evening, left: 180_000).secondsLeft == 7200)
    #expect(try status("22:00-06:00=400,50", at: evening, left: 90_000).secondsLeft == 3600)
    // 90,000 rows in the first hour, then 200 a second.
    #expect(try status("22:00-06:00=400,50", at: evening, left: 290_000).secondsLeft == 4600)
    // From 22:00 to 06:00 nothing, then 25 a second again.
    #expect(
      try status("22:00-06:00=0,50", at: evening, left: 90_025).secondsLeft == 9 * 3600 + 1)
    // How fast it is without a limit is unknown, so as fast as now.
    #expect(try status("22:00-06:00=off,50", at: evening, left: 180_000).secondsLeft == 7200)
    // Throttled by the backend to 50.
    #expect(
      try status("22:00-06:00=400,80", at: evening, left: 180_000, learned: 50).secondsLeft == 7200)
    // The limit of 1,000 is not reached, so only the lower one of the night counts.
    #expect(
      try status("22:00-06:00=10,1000", at: evening, left: 90_005).secondsLeft == 3601)
  }

  private func executor(
    _ table: String, shared: (any SharedRate)? = nil, _ second: @escaping @Sendable () -> Int
  ) async throws -> Executor {
    var settings = BatchSettings()
    settings.rate = try RateTimetable(table)
    settings.secondOfDay = second
    return Executor(
      ScratchJournal.run, of: try await ScratchJournal([[Operation]]()), settings: settings,
      on: try EventLoop.started(), shared: shared
    ) { _ throws(BatchProblem) in throw BatchProblem(.unavailable, "no calls are made", hint: "") }
  }

  @Test func `a running batch takes each change up, and a limit of ctl lasts until the next one`()
    async throws
  {
    let clock = Clock(Self.second(21, 59))
    let executor = try await executor("22:00-06:00=400,06:00-07:00=0,50") { clock.second }
    defer { executor.loop.stop() }
    try await executor.keepTimetable()
    #expect(await executor.status.limit == 50)
    await executor.control(.rate(7))
    try await executor.keepTimetable()
    #expect(await executor.status.limit == 7)
    clock.second = Self.second(22)
    try await executor.keepTimetable()
    #expect(await executor.status.limit == 400)
    #expect(await executor.status.hold == nil)
    clock.second = Self.second(6)
    try await executor.keepTimetable()
    #expect(await executor.status.hold == .timetable)
    #expect(await executor.status.state == .paused)
    await executor.control(.pause)
    #expect(await executor.status.hold == .user)
    clock.second = Self.second(7)
    try await executor.keepTimetable()
    #expect(await executor.status.hold == .user)
    await executor.control(.resume)
    #expect(await executor.status.hold == nil)
    #expect(await executor.status.limit == 50)
    #expect(await executor.status.state == .running)
  }

  @Test func `processes that share a run set their common rate, and hold only themselves`()
    async throws
  {
    let clock = Clock(Self.second(21))
    let pace = RecordedPace()
    let executor = try await executor("22:00-06:00=400,06:00-07:00=0,off", shared: pace) {
      clock.second
    }
    defer { executor.loop.stop() }
    for hour in [21, 22, 23, 6, 7] {
      clock.second = Self.second(hour)
      try await executor.keepTimetable()
      #expect(await executor.status.limit == nil)
      #expect(await executor.status.hold == (hour == 6 ? .timetable : nil))
    }
    #expect(pace.sent == [.rate(nil), .rate(400), .rate(nil)])
    // Without --rate the common rate stays as others have set it.
    let other = Executor(
      ScratchJournal.run, of: try await ScratchJournal([[Operation]]()), settings: BatchSettings(),
      on: executor.loop, shared: pace
    ) { _ throws(BatchProblem) in throw BatchProblem(.unavailable, "no calls are made", hint: "") }
    try await other.keepTimetable()
    #expect(pace.sent.count == 3)
  }

  @Test func `the pace URL and the limit of the user apply both`() async throws {
    let executor = try await executor("50") { 0 }
    defer { executor.loop.stop() }
    try await executor.keepTimetable()
    await executor.obey(.go(limit: 20))
    #expect(await executor.status.limit == 20)
    await executor.control(.rate(5))
    #expect(await executor.status.limit == 5)
    await executor.control(.rate(nil))
    #expect(await executor.status.limit == 20)
    await executor.obey(.hold)
    #expect(await executor.status.hold == .paceURL)
    // Only the URL releases what it holds.
    await executor.control(.resume)
    #expect(await executor.status.hold == .paceURL)
    await executor.obey(.go(limit: nil))
    #expect(await executor.status.hold == nil)
    #expect(await executor.status.limit == nil)
  }

  @Test func `neither a change nor the end of a pause causes a burst`() {
    for release in [0, 1] {
      var pace = RateLimiter(limit: 400)
      #expect(pace.take(at: .zero) == nil)
      let later = Duration.seconds(60)
      if release == 0 { pace.resumed(at: later) } else { pace.setLimit(500, at: later) }
      var calls = 0
      while pace.take(at: later) == nil { calls += 1 }
      #expect(calls <= 1)
    }
  }
}

/// A shared rate that keeps what was sent to all machines.
private final class RecordedPace: SharedRate {
  private let commands = Mutex<[BatchControl]>([])

  var sent: [BatchControl] { commands.withLock { $0 } }

  func takeTokens(atMost count: Int) async throws(BatchProblem) -> Int { count }

  func controls() -> AsyncStream<BatchControl> { AsyncStream { $0.finish() } }

  func send(_ control: BatchControl) async throws(BatchProblem) {
    commands.withLock { $0.append(control) }
  }
}

/// A clock that a test sets.
final class Clock: Sendable {
  private let state: Mutex<Int>

  init(_ second: Int) { state = Mutex(second) }

  var second: Int {
    get { state.withLock { $0 } }
    set { state.withLock { $0 = newValue } }
  }
}

extension EventLoop {
  /// A loop with a thread of its own.
  static func started() throws -> EventLoop {
    let loop = try EventLoop(name: "batch")
    try loop.start()
    return loop
  }
}
