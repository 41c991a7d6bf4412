import Glibc

/// Gives events to one report on a thread of its own, so that a slow report, such as a pipe that nobody
/// reads, delays neither the journeys nor the other reports.
///
/// Nothing is dropped: the events wait in a buffer, and while that is full, journeys wait for room in it.
///
/// Unchecked, because `lock` guards every variable, and because the report is used by the writer's thread
/// only, or by whoever holds the lock where the system refused a thread.
final class ReportWriter: @unchecked Sendable {
  /// With so many bytes in the buffer no journey begins: a wait then counts for no journey's time limit.
  static let bytesBeforeJourney = 8 << 20
  /// With so many bytes in the buffer no event is added, be it in the middle of a journey.
  static let mostBytes = 32 << 20
  /// How long the end of an interrupted run waits for the report.
  static let patience = Duration.seconds(2)

  private let report: any EventSink
  private let lock = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let changed = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
  private var waiting: [RunEvent] = []
  /// Of the events that are not written yet.
  private var bytes = 0
  private var hasThread = false
  private var isEnding = false
  private var isDropped = false
  private var hasEnded = false
  private var error: SinkError?
  /// Until when anybody waits for the report; nil while there is no hurry.
  private var deadline: ContinuousClock.Instant?

  init(_ report: sending any EventSink) {
    self.report = report
    pthread_mutex_init(lock, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(changed, &attributes)
    pthread_condattr_destroy(&attributes)
    var thread = pthread_t()
    let own = Unmanaged.passRetained(self)
    let status = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        Unmanaged<ReportWriter>.fromOpaque(context).takeRetainedValue().write()
        return nil
      }, own.toOpaque())
    hasThread = status == 0
    if hasThread { pthread_detach(thread) } else { own.release() }
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

  /// Waits until the buffer holds less than a number of bytes, or the run is interrupted.
  func waitForRoom(below limit: Int) {
    withLock {
      while bytes >= limit, deadline == nil { pthread_cond_wait(changed, lock) }
    }
  }

  /// From now on nobody waits longer than a short time for the report.
  func hurry() {
    withLock {
      deadline = deadline ?? .now + Self.patience
      pthread_cond_broadcast(changed)
    }
  }

  /// Lets the report end behind the events in the buffer.
  func beginEnd() {
    withLock {
      isEnding = true
      guard hasThread || hasEnded else { return end() }
      pthread_cond_broadcast(changed)
    }
  }

  /// Ends the thread, also of a report that never ends because its run did not begin.
  func drop() {
    withLock {
      isDropped = true
      pthread_cond_broadcast(changed)
    }
  }

  /// Waits for the end of the report, and returns what went wrong with it.
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
            "a report is not complete: whatever reads it has stopped reading",
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
  /// About how many bytes of memory it takes.
  fileprivate var size: Int {
    switch kind {
    case .exchange(let exchange):
      let bodies = [exchange.request.body?.text, exchange.response?.body?.text]
      return bodies.reduce(4096) { $0 + ($1?.utf8.count ?? 0) }
    case .log(let log): return 512 + log.text.utf8.count
    default: return 1024
    }
  }
}
