import Glibc
import HTTP
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

/// The processor time of the calling thread.
func threadTime() -> Duration {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
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
