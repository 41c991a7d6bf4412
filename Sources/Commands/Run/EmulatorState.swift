import Emulator
import Synchronization

/// Where `luath emulator` takes its accounts from, and where it leaves them.
struct EmulatorState {
  /// The file of `--state`.
  private let file: String?
  /// Why the state file could not be written any more.
  private static let failure = Mutex<StateError?>(nil)

  init(_ arguments: ParsedArguments, _ console: Console) throws(UsageError) {
    file = arguments.values["state"].map(console.whole)
  }

  /// Takes over what there is, before the emulator answers anybody.
  func open(_ emulator: Emulator) async throws(CommandFailure) {
    guard let file else { return }
    do throws(StateError) {
      try await emulator.keepState(in: file) { error in
        Self.failure.withLock { $0 = error }
        Interrupts.wake()
      }
    } catch {
      throw CommandFailure(.notLoaded, error.message, hint: error.hint)
    }
  }

  /// Ends the emulator, and leaves what there is where it belongs.
  func close(_ emulator: Emulator) async throws(CommandFailure) {
    await emulator.stop()
    if let failure = Self.failure.withLock({ $0 }) {
      throw CommandFailure(.unavailable, failure.message, hint: failure.hint)
    }
  }
}
