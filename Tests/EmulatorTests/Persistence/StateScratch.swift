@testable import Emulator
import Foundation

/// A new folder with a state file, and emulators that use it.
final class StateScratch: Sendable {
  private let folder: ExportScratch
  let clock = EmulatorClock(frozenAt: Int64(clockSeconds()))
  var file: String { "\(folder.path)/state.db" }

  init() throws {
    folder = try ExportScratch()
  }

  /// Serves the state in a file; the keys are the emulator's own, as in a new process.
  func open(
    _ file: String? = nil, rules: Rules = .production,
    _ change: (inout ProjectConfiguration) -> Void = { _ in }
  ) async throws -> Fixture {
    var project = ProjectConfiguration.demo
    change(&project)
    let emulator = try Emulator(project: project, rules: rules, clock: clock)
    do {
      try await emulator.keepState(in: file ?? self.file)
      return Fixture(emulator, port: try await emulator.start())
    } catch {
      await emulator.stop()
      throw error
    }
  }

  /// What a process that is killed now leaves: the file and its log, while both are in use.
  func wreck() throws -> String {
    let copy = "\(folder.path)/\(UUID().uuidString).db"
    for end in ["", "-wal"] where FileManager.default.fileExists(atPath: file + end) {
      try FileManager.default.copyItem(atPath: file + end, toPath: copy + end)
    }
    return copy
  }
}
