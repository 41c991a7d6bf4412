import Synchronization

/// The events while a journal is opened, which decide whether opening is retried.
final class PostgresOpening: Sendable {
  private struct State {
    var wasConnected = false
    var isLoading = false
    var wasLost = false
  }

  private let state = Mutex(State())

  /// Whether the server was reachable and then lost, before any row of the plan was read.
  var mayTryAgain: Bool {
    state.withLock { $0.wasConnected && $0.wasLost && !$0.isLoading }
  }

  /// Records that the server accepted the connection.
  func connected() { state.withLock { $0.wasConnected = true } }

  func beginLoading() { state.withLock { $0.isLoading = true } }

  func failed(_ failure: PostgresFailure) {
    state.withLock { state in
      if case .lost = failure { state.wasLost = true } else { state.wasLost = false }
    }
  }
}
