import Host
import Synchronization
import System

/// Watches the files of the live view, and reports those that are saved.
final class SavedFiles: Sendable {
  private let console: Console
  private let operands: [String]
  private let control: LiveControl
  /// The data files as they were when they were last compared, or when the last run ended.
  private let data: Mutex<WatchedFiles>

  init(_ console: Console, _ operands: [String], _ control: LiveControl) {
    self.console = console
    self.operands = operands
    self.control = control
    data = Mutex(WatchedFiles(operands, endings: WatchLoop.dataEndings, console))
  }

  /// Accepts the data files as they are, because journeys may have written some.
  func acceptData() {
    let now = look(WatchLoop.dataEndings)
    data.withLock { $0 = now }
  }

  /// Watches until the task is canceled or Ctrl-C comes.
  ///
  /// A script saved during a run ends the run, if journeys are to run again.
  func watch() async {
    var scripts = look(WatchLoop.scriptEndings)
    while (try? await Task.sleep(for: WatchLoop.pause)) != nil, !Interrupts.hasCome {
      let now = look(WatchLoop.scriptEndings)
      var changed = now.changes(since: scripts)
      scripts = now
      if !control.isBusy { changed += changedData() }
      guard !changed.isEmpty else { continue }
      if control.runsOnSave { await control.stop() }
      control.saved(Set(changed).sorted())
    }
  }

  private func changedData() -> [String] {
    let now = look(WatchLoop.dataEndings)
    return data.withLock { data in
      defer { data = now }
      return now.changes(since: data)
    }
  }

  private func look(_ endings: [String]) -> WatchedFiles {
    WatchedFiles(operands, endings: endings, console)
  }
}
