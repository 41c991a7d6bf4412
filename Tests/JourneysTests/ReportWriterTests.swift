import Foundation
import Synchronization
import Testing

@testable import Journeys

/// A slow report, and what it holds up.
@Suite(.timeLimit(.minutes(1))) struct ReportWriterTests {
  @Test func `a report that waits holds up neither the journeys nor the other reports`() async {
    let slow = GatedReport()
    let quick = GatedReport()
    quick.open()
    let hub = EventHub([], reports: [slow, quick])
    for number in 1...100 { hub.post(.log(LogEvent(level: .print, text: "\(number)"))) }
    await quick.waitForEvents(100)
    #expect(slow.texts.isEmpty)
    slow.open()
    #expect(hub.end().isEmpty)
    #expect(slow.texts == (1...100).map(String.init))
    #expect(quick.texts == slow.texts)
    #expect(slow.hasEnded && quick.hasEnded)
  }

  @Test func `no journey begins while the buffer of a report is full`() async {
    let slow = GatedReport()
    let hub = EventHub([], reports: [slow])
    let text = String(repeating: "x", count: 1 << 20)
    for _ in 1...8 { hub.post(RunEvent(at: 0, .log(LogEvent(level: .print, text: text)))) }
    let wasOpen = Mutex(false)
    async let isOpen = onThread {
      hub.post(Self.journeyStart)
      return wasOpen.withLock(\.self)
    }
    wasOpen.withLock { $0 = true }
    slow.open()
    #expect(await isOpen)
    #expect(hub.end().isEmpty)
    #expect(slow.texts.count == 9)
  }

  @Test func `a journey that prints much waits for its report, so that memory is bounded`() async {
    let slow = GatedReport()
    let hub = EventHub([], reports: [slow])
    let posted = Mutex(0)
    let most = Mutex(0)
    slow.onEvent { number in
      let waiting = posted.withLock(\.self) - number
      most.withLock { $0 = max($0, waiting) }
    }
    async let end: Void = onThread {
      let text = String(repeating: "x", count: 1 << 20)
      for number in 1...100 {
        // Without a limit all of them would be posted before the report takes the first.
        if number == 32 { slow.open() }
        hub.post(RunEvent(at: 0, .log(LogEvent(level: .print, text: text))))
        posted.withLock { $0 = number }
      }
    }
    await end
    #expect(hub.end().isEmpty)
    #expect(slow.texts.count == 100)
    #expect(most.withLock(\.self) <= 33)
  }

  @Test func `an interrupted run ends although nobody reads its report`() async {
    let stuck = GatedReport()
    let other = GatedReport()
    other.open()
    let hub = EventHub([], reports: [stuck, other])
    let text = String(repeating: "x", count: 1 << 20)
    for _ in 1...8 { hub.post(RunEvent(at: 0, .log(LogEvent(level: .print, text: text)))) }
    async let begun: Void = onThread { hub.post(Self.journeyStart) }
    hub.interrupt()
    await begun
    let errors = await onThread { hub.end() }
    #expect(
      errors.map(\.message) == [
        "a report is incomplete: it was still being written two seconds after the interruption"
      ])
    #expect(other.hasEnded && !stuck.hasEnded)
    stuck.open()
  }

  private static let journeyStart = RunEvent.Kind.journeyStart(
    JourneyStart(worker: 1, file: "a_journey.lua", line: 1, name: ["a"], tags: []))

  private func onThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { answer in
      Thread.detachNewThread { answer.resume(returning: body()) }
    }
  }
}

/// A report that takes no event before it is opened.
private final class GatedReport: EventSink, Sendable {
  private struct State {
    var texts: [String] = []
    var hasEnded = false
    var awaited: (count: Int, waiter: CheckedContinuation<Void, Never>)?
    var onEvent: @Sendable (Int) -> Void = { _ in }
  }

  let wantsExchanges = false
  private let gate = DispatchSemaphore(value: 0)
  private let state = Mutex(State())

  /// The texts of its events; of those without a text, nothing.
  var texts: [String] { state.withLock(\.texts) }
  var hasEnded: Bool { state.withLock(\.hasEnded) }

  func open() { gate.signal() }

  func onEvent(_ body: @escaping @Sendable (Int) -> Void) { state.withLock { $0.onEvent = body } }

  func waitForEvents(_ count: Int) async {
    await withCheckedContinuation { waiter in
      state.withLock { state in
        if state.texts.count >= count { return waiter.resume() }
        state.awaited = (count, waiter)
      }
    }
  }

  func take(_ event: RunEvent) {
    gate.wait()
    gate.signal()
    let text = if case .log(let log) = event.kind { log.text } else { "" }
    state.withLock { state in
      state.texts.append(text)
      state.onEvent(state.texts.count)
      if let awaited = state.awaited, state.texts.count >= awaited.count {
        awaited.waiter.resume()
        state.awaited = nil
      }
    }
  }

  func end() { state.withLock { $0.hasEnded = true } }
}
