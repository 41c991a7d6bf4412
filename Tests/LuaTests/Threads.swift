import Glibc
import Synchronization

/// Runs `body` on a thread of its own and gives its result.
func withThread<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
  try await withCheckedThrowingContinuation { continuation in
    startThread { continuation.resume(with: Result(catching: body)) }
  }
}

private final class Work: Sendable {
  let body: @Sendable () -> Void
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

func startThread(_ body: @escaping @Sendable () -> Void) {
  var thread = pthread_t()
  let work = Unmanaged.passRetained(Work(body)).toOpaque()
  pthread_create(
    &thread, nil,
    { context in
      if let context { Unmanaged<Work>.fromOpaque(context).takeRetainedValue().body() }
      return nil
    }, work)
  pthread_detach(thread)
}

func currentThread() -> UInt { pthread_self() }

/// What one thread waits for until another has given it.
final class Signal: Sendable {
  private let isGiven = Atomic(false)

  func give() { isGiven.store(true, ordering: .releasing) }

  func wait() { while !isGiven.load(ordering: .acquiring) { usleep(1000) } }
}

/// Whether `make tsan` runs the tests.
let isUnderThreadSanitizer = getenv("LUATH_SANITIZER").map { String(cString: $0) } == "thread"
