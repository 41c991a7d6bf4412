import Glibc
import HTTP
import Synchronization

/// Access of the editor's thread to the session, whose thread may be busy.
final class SessionProxy: Sendable {
  /// The time limit of a call, which users do not notice between two keys.
  private static let limit = Duration.milliseconds(50)

  // Unchecked, because only closures on the loop's own thread use the session.
  private struct Room: @unchecked Sendable {
    let loop: EventLoop
    let session: PromptSession
  }

  private let room = Mutex<Room?>(nil)

  /// Sets the session; called on the session's thread.
  func open(to session: PromptSession, on loop: EventLoop) {
    room.withLock { $0 = Room(loop: loop, session: session) }
  }

  func close() { room.withLock { $0 = nil } }

  /// Runs a closure with the session when its thread is idle.
  func later(_ body: @escaping @Sendable (PromptSession) -> Void) {
    guard let room = room.withLock(\.self) else { return }
    room.loop.perform { body(room.session) }
  }

  /// Runs a closure with the session; nil when it takes more than 50 milliseconds.
  func ask<Value: Sendable>(_ body: @escaping @Sendable (PromptSession) -> Value) -> Value? {
    guard let room = room.withLock(\.self) else { return nil }
    let answer = SessionAnswer<Value>()
    room.loop.perform {
      // The caller has given up.
      guard !answer.isLate else { return }
      answer.value = body(room.session)
    }
    let end = ContinuousClock.now + Self.limit
    while .now < end {
      if let value = answer.value { return value }
      usleep(200)
    }
    answer.isLate = true
    return answer.value
  }
}

private final class SessionAnswer<Value: Sendable>: Sendable {
  private let state = Mutex<(value: Value?, isLate: Bool)>((nil, false))

  var value: Value? {
    get { state.withLock(\.value) }
    set { state.withLock { $0.value = newValue } }
  }

  var isLate: Bool {
    get { state.withLock(\.isLate) }
    set { state.withLock { $0.isLate = newValue } }
  }
}
