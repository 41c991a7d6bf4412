import Emulator
import Synchronization

/// Failures of a state file, in the order they were told.
final class Failures: Sendable {
  private let errors = Mutex<[StateError]>([])
  var all: [StateError] { errors.withLock { $0 } }

  func add(_ error: StateError) { errors.withLock { $0.append(error) } }
}
