/// A one-time signal for one waiting task.
final class OneShot {
  private var continuation: UnsafeContinuation<Void, Never>?
  private var isOpen = false

  func open() {
    isOpen = true
    continuation?.resume()
    continuation = nil
  }

  func wait(_ continuation: UnsafeContinuation<Void, Never>) {
    if isOpen { continuation.resume() } else { self.continuation = continuation }
  }
}
