import Glibc
@testable import HTTP
import Synchronization

/// Runs a test with a loop of its own, and ends the loop's thread before it returns.
func withLoop<Value: Sendable>(
  _ body: @Sendable (EventLoop) async throws -> Value
) async throws -> Value {
  let loop = try EventLoop(name: "test")
  try loop.start()
  let result: Result<Value, any Error>
  do { result = .success(try await body(loop)) } catch { result = .failure(error) }
  loop.stop()
  loop.join()
  return try result.get()
}

/// Waits until a loop sleeps, which shows as its thread using no processor time at all for a while.
///
/// A loop that turned in circles would never come to it.
func waitUntilAsleep(_ loop: EventLoop) async throws {
  // Not as a job of the loop, which would wake it.
  try await Task.detached {
    var used = processorTime(of: loop)
    while true {
      try await Task.sleep(for: .milliseconds(50))
      let now = processorTime(of: loop)
      if now == used { return }
      used = now
    }
  }.value
}

/// The processor time of a loop's thread in nanoseconds.
private func processorTime(of loop: EventLoop) -> Int {
  var clock = clockid_t()
  var time = timespec()
  precondition(pthread_getcpuclockid(loop.pthread, &clock) == 0 && clock_gettime(clock, &time) == 0)
  return time.tv_sec * 1_000_000_000 + time.tv_nsec
}

/// Whether something comes true with a time limit that is short, or with a longer one on a machine that is too busy
/// to do before the limit what has to be done there.
func withSomeLimit(_ body: (Duration) async throws -> Bool) async rethrows -> Bool {
  for limit in [.milliseconds(50), .milliseconds(500), .seconds(3), .seconds(20)] as [Duration] {
    if try await body(limit) { return true }
  }
  return false
}

/// How many descriptors this process has open.
func openDescriptors() -> Int {
  (0..<4096).count { fcntl($0, F_GETFD) != -1 }
}

/// A plain thread, for servers that block.
final class Thread: Sendable {
  private let thread: pthread_t
  private let isJoined = Atomic(false)

  init(_ body: @escaping @Sendable () -> Void) {
    final class Start {
      let body: @Sendable () -> Void
      init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { context in
        if let context { Unmanaged<Start>.fromOpaque(context).takeRetainedValue().body() }
        return nil
      }, Unmanaged.passRetained(Start(body)).toOpaque())
    self.thread = thread
  }

  deinit {
    if !isJoined.load(ordering: .acquiring) { pthread_detach(thread) }
  }

  func join() {
    isJoined.store(true, ordering: .releasing)
    pthread_join(thread, nil)
  }
}
