@testable import System
@testable import Emulator
import Synchronization

/// Failures of a state file, in the order they were told.
final class Failures: Sendable {
  private let errors = Mutex<[Problem]>([])
  var all: [Problem] { errors.withLock { $0 } }

  func add(_ error: Problem) { errors.withLock { $0.append(error) } }
}
