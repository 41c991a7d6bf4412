import Glibc
import HTTP
import Synchronization

/// Lets the editor's thread ask the session, whose thread may be busy.
final class SessionDoor: Sendable {
  /// What a person does not notice, between two keys.
  private static let limit = Duration.milliseconds(50)

  // Unchecked, because only what runs on the loop's own thread touches the session.
  private struct Room: @unchecked Sendable {
    let loop: EventLoop
    let session: PromptSession
  }

  private let room = Mutex<Room?>(nil)

  /// From now on this session is asked; called on its thread.
  func open(to session: PromptSession, on loop: EventLoop) {
    room.withLock { $0 = Room(loop: loop, session: session) }
  }

  func close() { room.withLock { $0 = nil } }

  /// Has the session do something when it has time for it.
  func later(_ body: @escaping @Sendable (PromptSession) -> Void) {
    guard let room = room.withLock(\.self) else { return }
    room.loop.perform { body(room.session) }
  }

  /// What the session answers within 50 milliseconds; nil when it does not.
  func ask<Value: Sendable>(_ body: @escaping @Sendable (PromptSession) -> Value) -> Value? {
    guard let room = room.withLock(\.self) else { return nil }
    let answer = Answer<Value>()
    room.loop.perform {
      // Nobody waits any more for what comes too late.
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

private final class Answer<Value: Sendable>: Sendable {
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
