/// A lock for tasks that send commands to one page.
///
/// The current frame is a state of the browser, so related commands must not be interleaved with
/// others. Used on the loop's thread only.
final class PageLock {
  private var isTaken = false
  private var waiting: [UnsafeContinuation<Void, Never>] = []

  func take() async {
    guard isTaken else {
      isTaken = true
      return
    }
    await withUnsafeContinuation { waiting.append($0) }
  }

  func give() {
    if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
  }
}
