import Synchronization

/// What happened while a journal was being opened, which decides whether that is tried again.
final class PostgresOpening: Sendable {
  private struct State {
    var wasConnected = false
    var isLoading = false
    var wasLost = false
  }

  private let state = Mutex(State())

  /// Whether the server was there and went away, and nothing was taken that cannot be had again.
  var mayTryAgain: Bool {
    state.withLock { $0.wasConnected && $0.wasLost && !$0.isLoading }
  }

  /// The server took this process in.
  func connected() { state.withLock { $0.wasConnected = true } }

  /// The plan's rows are being read.
  func beginLoading() { state.withLock { $0.isLoading = true } }

  /// Something went wrong.
  func failed(_ failure: PostgresFailure) {
    state.withLock { state in
      if case .lost = failure { state.wasLost = true } else { state.wasLost = false }
    }
  }
}
