import Host
import System

/// A script that fills the emulator before the command of `luath exec` starts.
struct SeedScript {
  private let script: Script
  private let console: Console

  /// Reads the script.
  init(_ path: String, _ console: Console) throws(CommandFailure) {
    switch console.read(path) {
    case .success(let text):
      script = Script(text: text, name: path, folder: path.folder, path: path, arguments: [])
    case .failure(let problem):
      throw CommandFailure(
        .notLoaded, "cannot read the seed script \(path.printable): \(problem.words)",
        hint: "check --seed; the path starts from \(console.folder.printable)")
    }
    self.console = console
  }

  /// Runs the script to its end.
  ///
  /// - Returns: The exit status of a script that failed, after printing why; nil if it ended well.
  func run(in place: ResolvedTarget) async -> ExitStatus? {
    let observer = SecretObserver(recordsJourneys: false)
    let context = place.context(memory: 0, console, ProjectGuard(), trace: nil, observer: observer)
    observer.begin(context)
    observer.secrets.hide(source: script.text)
    let ending = await ScriptRun(context: context, console: console).run(script)
    let status = FailureReport(script, console, hiding: observer.secrets).status(
      of: ending.outcome, at: ending.place, timeout: nil)
    _ = console.flushOutput()
    guard status.rawValue != 0 else { return nil }
    console.writeError(
      "luath: the seed script \(script.name.printable) failed, so the command was not started\n")
    return status
  }
}
