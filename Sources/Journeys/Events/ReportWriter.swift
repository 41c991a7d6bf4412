import Glibc
import System

/// Writes one report on its own thread, so that a slow report delays neither journeys nor other reports.
///
/// A report is slow, for example, when it goes to a pipe that nothing reads. No event is dropped:
/// events wait in a buffer, and while the buffer is full, journeys wait.
///
/// `@unchecked Sendable`: `lock` guards every variable. The report is used by the writer's thread
/// only, or, when no thread could be created, under the lock.
final class ReportWriter: @unchecked Sendable {
  /// Above this buffer size no journey begins, so that waiting does not count toward its time limit.
  static let bytesBeforeJourney = 8 << 20
  /// Above this buffer size no event is added, even in the middle of a journey.
  static let mostBytes = 32 << 20
  /// How long the end of an interrupted run waits for the report.
  static let patience = Duration.seconds(2)

  private let report: any EventSink
  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
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
    pthread_mutex_init(lock, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(changed, &attributes)
    pthread_condattr_destroy(&attributes)
    withLock { hasThread = (try? SystemThread.start { [self] in write() }) != nil }
  }

  deinit {
    pthread_cond_destroy(changed)
    pthread_mutex_destroy(lock)
    changed.deallocate()
    lock.deallocate()
  }

  /// Adds an event to the buffer, without waiting.
  func add(_ event: RunEvent) {
    withLock {
      guard hasThread else { return report.take(event) }
      waiting.append(event)
      bytes += event.size
      pthread_cond_broadcast(changed)
    }
  }

  /// Waits until the buffer holds fewer bytes than the limit, or the run is interrupted.
  func waitForRoom(below limit: Int) {
    withLock {
      while bytes >= limit, deadline == nil { pthread_cond_wait(changed, lock) }
    }
  }

  /// Limits every later wait for the report to `patience`.
  func hurry() {
    withLock {
      deadline = deadline ?? .now + Self.patience
      pthread_cond_broadcast(changed)
    }
  }

  /// Ends the report after the events in the buffer.
  func beginEnd() {
    withLock {
      isEnding = true
      guard hasThread || hasEnded else { return end() }
      pthread_cond_broadcast(changed)
    }
  }

  /// Ends the thread, also when the report never ends because the run did not begin.
  func drop() {
    withLock {
      isDropped = true
      pthread_cond_broadcast(changed)
    }
  }

  func waitForEnd() -> SinkError? {
    withLock {
      while !hasEnded {
        guard let deadline else {
          pthread_cond_wait(changed, lock)
          continue
        }
        let left = ContinuousClock.now.duration(to: deadline)
        guard left > .zero else {
          return SinkError(
            "a report is incomplete: the program that reads it has stopped reading",
            hint: "write it to a file: --report KIND:FILE")
        }
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        let nanoseconds = time.tv_nsec + Int(left.components.attoseconds / 1_000_000_000)
        time.tv_sec += Int(left.components.seconds) + nanoseconds / 1_000_000_000
        time.tv_nsec = nanoseconds % 1_000_000_000
        pthread_cond_timedwait(changed, lock, &time)
      }
      return error
    }
  }

  // MARK: The writer's thread

  private func write() {
    pthread_mutex_lock(lock)
    while true {
      while waiting.isEmpty, !isEnding, !isDropped { pthread_cond_wait(changed, lock) }
      guard !waiting.isEmpty else { break }
      let events = waiting
      waiting = []
      for event in events {
        pthread_mutex_unlock(lock)
        report.take(event)
        pthread_mutex_lock(lock)
        bytes -= event.size
        pthread_cond_broadcast(changed)
      }
    }
    let mustEnd = isEnding
    pthread_mutex_unlock(lock)
    guard mustEnd else { return }
    let error = ending()
    withLock {
      self.error = error
      hasEnded = true
      pthread_cond_broadcast(changed)
    }
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

  private func withLock<Value>(_ body: () -> Value) -> Value {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return body()
  }
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
