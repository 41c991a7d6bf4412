/// Lets the tasks that use one page talk to the browser one after another.
///
/// Which frame a command goes to is a state of the browser, so what belongs together must not be
/// interrupted. Used on the loop's thread only.
final class Turns {
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
