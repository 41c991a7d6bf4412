import System

/// Writes one report on its own thread, so that a slow report delays neither journeys nor other reports.
///
/// A report is slow, for example, when it goes to a pipe that nothing reads. No event is dropped:
/// events wait in a buffer, and while the buffer is full, journeys wait.
///
/// `@unchecked Sendable`: `monitor` guards every variable. The report is used by the writer's thread
/// only, or, when no thread could be created, under the lock.
final class ReportWriter: @unchecked Sendable {
  /// Above this buffer size no journey begins, so that waiting does not count toward its time limit.
  static let bytesBeforeJourney = 8 << 20
  /// Above this buffer size no event is added, even in the middle of a journey.
  static let mostBytes = 32 << 20
  /// How long the end of an interrupted run waits for the report.
  static let patience = Duration.seconds(2)

  private let report: any EventSink
  private let monitor = Monitor()
  private var waiting: [RunEvent] = []
  /// The estimated size of the events that are not written yet.
  private var bytes = 0
  private var hasThread = false
  private var isEnding = false
  private var isDropped = false
  private var hasEnded = false
  private var error: SinkError?
  /// When to stop waiting for the report; nil means no limit.
  private var deadline: ContinuousClock.Instant?

  init(_ report: sending any EventSink) {
    self.report = report
    withLock { hasThread = (try? SystemThread.start { [self] in write() }) != nil }
  }

  /// Adds an event to the buffer, without waiting.
  func add(_ event: RunEvent) {
    withLock {
      guard hasThread else { return report.take(event) }
      waiting.append(event)
      bytes += event.size
      monitor.wake()
    }
  }

  /// Waits until the buffer holds fewer bytes than the limit, or the run is interrupted.
  func waitForRoom(below limit: Int) {
    withLock {
      while bytes >= limit, deadline == nil { monitor.wait() }
    }
  }

  /// Limits every later wait for the report to `patience`.
  func hurry() {
    withLock {
      deadline = deadline ?? .now + Self.patience
      monitor.wake()
    }
  }

  /// Ends the report after the events in the buffer.
  func beginEnd() {
    withLock {
      isEnding = true
      guard hasThread || hasEnded else { return end() }
      monitor.wake()
    }
  }

  /// Ends the thread, also when the report never ends because the run did not begin.
  func drop() {
    withLock {
      isDropped = true
      monitor.wake()
    }
  }

  func waitForEnd() -> SinkError? {
    withLock {
      while !hasEnded {
        guard monitor.wait(until: deadline) else {
          return SinkError(
            "a report is incomplete: it was still being written two seconds after the interruption",
            hint: "a program that does not read it, or a reporter in Lua, may have delayed it")
        }
      }
      return error
    }
  }

  // MARK: The writer's thread

  private func write() {
    while let events = withLock({ next() }) {
      for event in events {
        report.take(event)
        withLock {
          bytes -= event.size
          monitor.wake()
        }
      }
    }
    guard withLock({ isEnding }) else { return }
    let error = ending()
    withLock {
      self.error = error
      hasEnded = true
      monitor.wake()
    }
  }

  /// Waits for events; nil after the last ones.
  private func next() -> [RunEvent]? {
    while waiting.isEmpty, !isEnding, !isDropped { monitor.wait() }
    defer { waiting = [] }
    return waiting.isEmpty ? nil : waiting
  }

  private func end() {
    error = ending()
    hasEnded = true
  }

  private func ending() -> SinkError? {
    do throws(SinkError) {
      try report.end()
      return nil
    } catch {
      return error
    }
  }

  private func withLock<Value>(_ body: () -> Value) -> Value { monitor.withLock(body) }
}

extension RunEvent {
  /// The approximate size in memory, in bytes.
  fileprivate var size: Int {
    switch kind {
    case .exchange(let exchange):
      let bodies = [exchange.request.body?.text, exchange.response?.body?.text]
      return bodies.reduce(4096) { $0 + ($1?.utf8.count ?? 0) }
    case .log(let log): return 512 + log.text.utf8.count
    case .attachment(let attachment):
      switch attachment.content {
      case .text(let text): return 1024 + text.utf8.count
      case .bytes(let bytes): return 1024 + bytes.count
      case .leftOut: return 1024
      }
    default: return 1024
    }
  }
}
