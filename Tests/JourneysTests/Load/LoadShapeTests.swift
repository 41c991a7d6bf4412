import System
import Testing

@testable import Host
@testable import Journeys

@Suite(.timeLimit(.minutes(1))) struct LoadShapeTests {
  private func shape(_ stages: [(Double, Double)], from start: Double = 0) -> LoadShape {
    LoadShape(from: start, stages.map { LoadShape.Stage(duration: $0, target: $1) })
  }

  @Test func `a ramp of the rate has as many arrivals as the area under it`() {
    // 0 to 100 a second in 2 s, 1 s of it, and down again in 2 s: 100 + 100 + 100.
    let shape = shape([(2000, 100), (1000, 100), (2000, 0)])
    #expect(shape.count == 300)
    #expect(shape.duration == 5000)
    let due = (0..<300).compactMap(shape.due)
    #expect(due.count == 300 && due == due.sorted())
    #expect(due.first == 0)
    // After t seconds of the first ramp, 25 t² are due.
    #expect(due[25] == 1000)
    #expect(abs(due[100] - 2000) < 1e-6 && abs(due[150] - 2500) < 1e-6)
    // The last ramp is the first one backwards.
    #expect(abs(due[275] - 4000) < 1e-6)
    #expect(due[299] < 5000)
    #expect(shape.due(300) == nil)
  }

  @Test(arguments: [0.0, 1, 999, 1000, 2000, 2600, 3500, 4999, 5000, 9000])
  func `as many are due before a time as have an earlier time`(time: Double) {
    let shape = shape([(2000, 100), (1000, 100), (2000, 0)])
    let due = (0..<shape.count).compactMap(shape.due)
    // Times that should be equal may differ in the last digits.
    let some = due.count { $0 < time - 1e-6 }
    let more = due.count { $0 < time + 1e-6 }
    #expect((some...more).contains(shape.count(before: time)))
  }

  @Test func `a stage without time is a jump, and one without load is a pause`() {
    let shape = shape([(0, 10), (1000, 10), (0, 0), (1000, 0), (0, 20), (1000, 20)])
    #expect(shape.count == 30)
    #expect(shape.due(9) == 900)
    #expect(shape.due(10) == 2000)
    #expect(shape.due(29) == 2950)
    #expect(shape.count(before: 1500) == 10)
    #expect(shape.most == 20)
  }

  @Test func `users come and go with the ramps`() {
    let shape = shape([(1000, 10), (1000, 10), (1000, 0)])
    #expect(shape.next(for: 1, at: 0) == 50)
    #expect(shape.next(for: 10, at: 0) == 950)
    #expect(shape.next(for: 11, at: 0) == nil)
    #expect(shape.next(for: 10, at: 1500) == 1500)
    #expect(shape.next(for: 10, at: 2040) == 2040)
    #expect(shape.next(for: 10, at: 2060) == nil)
    #expect(shape.next(for: 1, at: 2940) == 2940)
    #expect(shape.next(for: 1, at: 2960) == nil)
  }

  @Test func `who had to go comes back with the next ramp`() {
    let shape = shape([(1000, 0), (0, 4), (1000, 4)], from: 2)
    #expect(shape.next(for: 2, at: 100) == 100)
    #expect(shape.next(for: 2, at: 500) == 1000)
    #expect(shape.next(for: 4, at: 0) == 1000)
    #expect(shape.next(for: 4, at: 2000) == nil)
  }

  @Test func `a constant number of users begins at once`() {
    let shape = LoadShape(constant: 3, for: 100)
    #expect((1...4).map { shape.next(for: $0, at: 0) } == [0, 0, 0, nil])
    #expect(shape.next(for: 3, at: 99) == 99)
    #expect(shape.next(for: 3, at: 100) == nil)
  }

  @Test func `heavier journeys have more turns, evenly spread`() {
    #expect(LoadTurns.order([1, 1, 1]) == [0, 1, 2])
    #expect(LoadTurns.order([3, 1]) == [0, 0, 1, 0])
    #expect(LoadTurns.order([1, 4]) == [1, 1, 0, 1, 1])
  }

  @Test func `rows go round, and none is used twice at a time while there are others`() {
    var rows = LoadRows([1, 2, 3])
    var taken: [Int] = []
    for _ in 0..<5 {
      guard let (index, _) = rows.take() else { break }
      taken.append(index)
      rows.giveBack(index)
    }
    #expect(taken == [0, 1, 2, 0, 1])
    let held = (0..<3).compactMap { _ in rows.take()?.index }
    #expect(held == [2, 0, 1])
    // A fourth journey has to share one.
    #expect(rows.take()?.index == 2)
    rows.giveBack(2)
    rows.giveBack(0)
    #expect(rows.take()?.index == 0)
    rows.giveBack(2)
    #expect(rows.take()?.index == 2)
    var none = LoadRows([])
    #expect(none.take() == nil)
  }
}

@Suite(.timeLimit(.minutes(1))) struct LoadSettingTests {
  private func plan(_ values: [String: String]) throws -> LoadPlan {
    var arguments = try ParsedArguments([], LoadCommand.description)
    arguments.values = values
    arguments.lists = values.mapValues { [$0] }
    return try LoadPlan(arguments, [])
  }

  @Test func `stages are of users, or with a unit of journeys per second`() throws {
    let users = try plan(["stages": "30s:100,2m:100,0:0"])
    #expect(users.model == .closed && users.firstUsers == 100)
    #expect(users.shape.duration == 150_000)
    let rate = try plan(["stages": "10s:50/s", "rate": "10", "vus": "3", "max-vus": "30"])
    #expect(rate.model == .open && rate.firstUsers == 3 && rate.mostUsers == 30)
    #expect(rate.shape.count == 300)
    #expect(try plan(["stages": "10s:0", "vus": "3"]).firstUsers == 3)
  }

  @Test func `times have units, and think times may be ranges`() throws {
    let plan = try plan([
      "think-time": "500ms..2s", "warm-up": "5s", "graceful-stop": "0.5", "abort-on-fail": "10s",
      "threshold": "p95<300ms",
    ])
    #expect(plan.thinkTime == 500...2000 && plan.warmUp == 5000)
    #expect(plan.grace == 500 && plan.abortDelay == 10_000)
  }

  @Test(
    arguments: [
      (["stages": "30s"], "--stages takes TIME:N for each stage, not '30s'"),
      (["stages": "30s:1,10s:2/s"], "--stages has stages of users and of journeys per second"),
      (["stages": "30s:0"], "--stages has no load in any stage"),
      (["stages": "x:1"], "--stages takes a time such as 500ms, 2s or 5m, not 'x'"),
      (["stages": "1s:-1"], "--stages takes a number from 0 to 10000, not '-1'"),
      (["stages": "1s:1", "duration": "1s"], "--stages and --duration exclude each other"),
      (["stages": "1s:1", "rate": "1"], "--rate and --stages exclude each other"),
      (["think-time": "2s..1s"], "--think-time takes a time such as 1s or 500ms..2s"),
      (["think-time": "1s", "rate": "5"], "--think-time and --rate exclude each other"),
      (["max-vus": "5"], "--max-vus needs a rate"),
      (["max-vus": "5", "vus": "6", "rate": "1"], "--max-vus is less than the 6 users"),
      (["warm-up": "30s"], "--warm-up leaves nothing to measure"),
      (["abort-on-fail": "true"], "--abort-on-fail needs a limit"),
      (["data": "rows.txt"], "--data takes a .csv, .json or .ndjson file, not 'rows.txt'"),
    ])
  func `what does not go together is refused`(values: [String: String], message: String) {
    let error = #expect(throws: UsageError.self) { try plan(values) }
    #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
  }
}
