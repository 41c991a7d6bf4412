import Storage
import System
import Testing

@testable import Journeys

/// What agents of a load run send each other.
@Suite(.timeLimit(.minutes(2))) struct AgentFiguresTests {
  private static let journey = LoadSubject(journey: "signs in", file: "a_journey.lua", line: 3)

  /// Counts made-up journeys in each of several tallies, and all of them in the last one.
  private static func tallies(_ count: Int) -> [LoadTally] {
    var random = SeededGenerator(seed: 26)
    var tallies = [LoadTally](repeating: LoadTally(), count: count + 1)
    for index in tallies.indices { tallies[index].keepsHistograms = true }
    for number in 0..<3000 {
      let now = Double(number) * 2
      // Sums of eighths are exact, in any order.
      let duration = Double(Int.random(in: 1...80_000, using: &random)) / 8
      let late = number.isMultiple(of: 3) ? 0.5 : 0
      let error = number.isMultiple(of: 50) ? "failure \(number % 3)" : nil
      for index in [Int.random(in: 0..<count, using: &random), count] {
        tallies[index].begin(at: now)
        tallies[index].request(
          number.isMultiple(of: 2) ? "signUp" : "lookup", at: now, duration: duration / 2,
          failed: error != nil)
        tallies[index].step("form", of: journey, duration: duration / 4, failed: false)
        tallies[index].end(
          journey, at: now, duration: duration, lateness: late, error: error)
      }
    }
    for index in 0..<count { tallies[index].drop(5, waited: 250) }
    tallies[count].drop(UInt64(5 * count), waited: 250)
    return tallies
  }

  private static func sent(_ tally: LoadTally) throws -> AgentFigures {
    let figures = AgentFigures(tally, users: 2, duration: 6000, at: 6000, begunTwice: 0)
    return try #require(
      AgentFigures(figures.encoded, seconds: tally.seconds.map { $0.part.encodedBytes() }))
  }

  @Test func `merged figures are exactly those of one agent that did all`() throws {
    let tallies = Self.tallies(3)
    let whole = tallies[3]
    var parts: [Int: AgentFigures] = [:]
    for slot in 0..<3 { parts[slot] = try Self.sent(tallies[slot]) }
    let merged = parts.merged
    #expect(Set(merged.order) == Set(whole.order))
    for subject in whole.order {
      let (one, other) = (merged.figures[subject], whole.figures[subject])
      #expect(one?.latency == other?.latency, "\(subject.name)")
      #expect(one?.service == other?.service)
      #expect(one?.failed == other?.failed)
    }
    #expect(merged.journeys.latency == whole.journeys.latency)
    #expect(merged.journeys.dropped == 15)
    #expect(merged.requests.latency.encoded == whole.requests.latency.encoded)
    #expect(merged.startDelay.latency == whole.startDelay.latency)
    #expect(merged.begun == whole.begun)
    #expect(merged.errors.text == whole.errors.text)
    #expect(merged.seconds.count == whole.seconds.count)
    for (one, other) in zip(merged.seconds, whole.seconds) {
      #expect(one.latency == other.latency, "second \(one.second)")
      #expect(one.begun == other.begun && one.requests == other.requests)
    }
  }

  @Test func `a histogram survives its encoding, and a damaged one is refused`() throws {
    var histogram = Histogram()
    for value in [0, 0.001, 0.0134, 1, 1.024, 2.047, 59_999.9, 4_000_000, 9e9] {
      histogram.record(value, times: 300)
    }
    #expect(Histogram(part: histogram.part) == histogram)
    #expect(Histogram(part: Histogram().part) == Histogram())
    let bytes = histogram.encoding
    for damaged in [[], Array(bytes.prefix(40)), [0] + bytes.dropFirst(), bytes + [0xFF]] {
      #expect(Histogram(encoding: damaged, shortest: 0, longest: 1, sum: 1) == nil)
    }
    let tooLarge =
      Array(bytes.prefix(40)) + [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2]
    #expect(Histogram(encoding: tooLarge, shortest: 0, longest: 1, sum: 1) == nil)
  }

  @Test func `differences are named, and the value only of what is no secret`() {
    var one = AgentSettings()
    one.add("--rate", "20", isShown: true)
    one.add("--header", "abc")
    var other = AgentSettings()
    other.add("--rate", "10", isShown: true)
    other.add("--header", "def")
    other.add("the file a_journey.lua", "123")
    #expect(
      one.differences(from: AgentSettings(text: other.text))
        == "--rate (20 here, 10 there), --header, the file a_journey.lua")
    #expect(one.differences(from: AgentSettings(text: one.text)).isEmpty)
  }

  // MARK: With a server

  private static func tables() async throws -> (LoadTables, PostgresConnection) {
    let address = try PostgresAddress(try await PostgresServer.shared.url(), .load)
    let tables = LoadTables(address: address)
    let connection = try PostgresConnection(address)
    try tables.prepare(connection)
    try tables.set(
      LoadTables.Run(agents: 3, settings: "[]", began: nil, stoppedBy: nil), connection)
    for slot in 0..<3 {
      _ = try tables.add(slot: slot, name: "host/\(slot)", lease: 10_000, connection)
    }
    try tables.begin(after: 0, connection)
    return (tables, connection)
  }

  @Test(.enabled(if: PostgresServer.isInstalled, "Debian's package postgresql is missing"))
  func `figures that arrive twice, or late, count once`() async throws {
    let (tables, connection) = try await Self.tables()
    let tally = Self.tallies(1)[0]
    let bytes = try Self.sent(tally).encoded
    let seconds = tally.seconds.map { (number: $0.second, data: $0.part.encodedBytes()) }
    let early = AgentFigures().encoded
    #expect(try tables.write(early, [], of: 0, serial: 1, isFinal: false, connection))
    for _ in 0..<2 {
      #expect(try tables.write(bytes, seconds, of: 0, serial: 2, isFinal: true, connection))
    }
    // A message that an outage held up changes nothing.
    #expect(try !tables.write(early, [], of: 0, serial: 1, isFinal: false, connection))
    let found = try tables.figures(hasSeconds: true, connection)
    #expect(found.count == 1)
    #expect(found[0]?.tally.journeys.latency == tally.journeys.latency)
    #expect(found[0]?.tally.seconds.count == tally.seconds.count)
    #expect(try tables.agents(connection).map(\.isFinal) == [true, false, false])
  }

  @Test(.enabled(if: PostgresServer.isInstalled, "Debian's package postgresql is missing"))
  func `a dead agent makes one epoch, whoever notices, and sends nothing any more`() async throws {
    let (tables, connection) = try await Self.tables()
    let share = AgentShare(slot: 0, agents: 3)
    try tables.end(2, connection)
    for first in [70, 90] {
      try tables.update(at: 1000, first: first, share, connection)
    }
    let epochs = try tables.epochs(after: 1, connection)
    #expect(epochs == [AgentShare.Epoch(first: 70, live: [0, 2])])
    #expect(try tables.agents(connection).map(\.state) == ["live", "lost", "live"])
    #expect(
      try !tables.write(AgentFigures().encoded, [], of: 1, serial: 9, isFinal: true, connection))
    // A later epoch never begins before an earlier one.
    try tables.leave(0, at: 1100, connection)
    try tables.update(at: 1100, first: 60, share, connection)
    #expect(
      try tables.epochs(after: 2, connection) == [AgentShare.Epoch(first: 70, live: [2])])
  }

  @Test(.enabled(if: PostgresServer.isInstalled, "Debian's package postgresql is missing"))
  func `a wrong password is refused at once, and is not shown`() async throws {
    let url = try await PostgresServer.shared.url(password: "hunter2hunter2")
    let address = try PostgresAddress(url, .load)
    let problem = await #expect(throws: QueueProblem.self) {
      _ = try await LoadAgent.join(address, count: 2, AgentSettings()) { notice in
        Issue.record("\(notice)")
      }
    }
    #expect(problem?.code == .unavailable)
    #expect(problem?.message.contains("password authentication failed") == true)
    #expect(problem.map { "\($0)" }?.contains("hunter2") == false)
  }

  @Test(.enabled(if: PostgresServer.isInstalled, "Debian's package postgresql is missing"))
  func `agents take the free places, until there is none`() async throws {
    let address = try PostgresAddress(try await PostgresServer.shared.url(), .load)
    var settings = AgentSettings()
    settings.add("--rate", "10", isShown: true)
    let first = try await LoadAgent.join(address, count: 2, settings) { _ in }
    let second = try await LoadAgent.join(address, count: 2, settings) { _ in }
    #expect([first.slot, second.slot] == [0, 1])
    let full = await #expect(throws: QueueProblem.self) {
      _ = try await LoadAgent.join(address, count: 2, settings) { _ in }
    }
    #expect(full?.message.contains("has its 2 agents already") == true)
    // One that leaves before the start makes room, and all who leave make room for other settings.
    await first.leave()
    let third = try await LoadAgent.join(address, count: 2, settings) { _ in }
    #expect(third.slot == 0)
    var others = AgentSettings()
    others.add("--rate", "20", isShown: true)
    let differs = await #expect(throws: QueueProblem.self) {
      _ = try await LoadAgent.join(address, count: 2, others) { _ in }
    }
    #expect(differs?.message.contains("--rate (20 here, 10 there)") == true)
    await second.leave()
    await third.leave()
    let fourth = try await LoadAgent.join(address, count: 3, others) { _ in }
    #expect(fourth.slot == 0 && fourth.count == 3)
    await fourth.leave()
  }
}
