import Testing

@testable import HTTP

@Suite(.timeLimit(.minutes(1))) struct TimerQueueTests {
  private final class Record { var values: [Int] = [] }

  private func time(_ nanoseconds: Int) -> MonotonicTime {
    MonotonicTime(nanoseconds: Int64(nanoseconds))
  }

  @Test func `thousands of timers come out by time, and equal times in order of making`() {
    var queue = TimerQueue()
    let record = Record()
    var expected: [(due: Int, number: Int)] = []
    var cancelled: [TimerToken] = []
    var random: UInt64 = 42
    for number in 0..<5000 {
      random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let due = Int(random >> 33) % 500
      let token = queue.add(
        due: time(due), .init(fire: { record.values.append(number) }, abandon: nil))
      // Four of five are cancelled, so the heap is rebuilt on the way.
      if number % 5 == 0 { expected.append((due, number)) } else { cancelled.append(token) }
    }
    for token in cancelled { queue.cancel(token) }
    expected.sort { ($0.due, $0.number) < ($1.due, $1.number) }
    #expect(queue.next == time(expected[0].due))
    while let action = queue.takeDue(at: time(1000)) { action.fire() }
    #expect(record.values == expected.map(\.number))
    #expect(queue.next == nil)
  }

  @Test func `only what is due comes out`() {
    var queue = TimerQueue()
    let record = Record()
    for due in [30, 10, 20] {
      _ = queue.add(due: time(due), .init(fire: { record.values.append(due) }, abandon: nil))
    }
    while let action = queue.takeDue(at: time(20)) { action.fire() }
    #expect(record.values == [10, 20])
    #expect(queue.next == time(30))
  }

  @Test func `times too far away to count are the end of time`() {
    #expect(MonotonicTime.now.advanced(by: .seconds(Int64.max)).nanoseconds == .max)
    #expect(Duration.seconds(Int64.max).wholeMilliseconds == Int(Int32.max))
    #expect(Duration.nanoseconds(1).wholeMilliseconds == 1)
    #expect(Duration.seconds(-5).wholeMilliseconds == 1)
    #expect(Duration.milliseconds(1500).wholeMilliseconds == 1500)
  }
}
