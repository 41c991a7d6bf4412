import Host
import System

/// Pauses of the journeys of a file, for their user at the prompt.
extension FileRun {
  /// Opens the prompt at a failure, before the journey's hooks and fixtures end; nil when the run has no pauses.
  func pause(
    at failure: Failure, _ journey: PlannedJourney, _ open: OpenFile
  ) async -> PauseAnswer? {
    guard worker.pauses == .failure, !worker.wasInterrupted else { return nil }
    let place = try? open.interpreter.ask("luath.pause", "atFailure", [])
    var spot = PauseSpot(.failure)
    spot.journey = journey.name
    spot.steps = failure.steps
    spot.file = failure.file ?? place?["file"]?.string
    spot.line = failure.line ?? place?["line"]?.integer.map(Int.init)
    spot.failure = worker.text(of: failure)
    return await open.interpreter.pause(at: spot)
  }

  /// Opens the prompt although the file does not load, so that the user can correct it and run the journey again.
  func pauseWithoutFile(_ journey: PlannedJourney, _ failure: Failure) async {
    guard worker.pauses == .failure, !worker.wasInterrupted else { return }
    let empty = Script(text: [], name: file.script.name, folder: nil)
    guard
      let open = try? await OpenFile.open(
        empty, context: worker.context, actor: actor, within: worker.limit,
        stuck: { [worker] in worker.isStuck() })
    else { return }
    chosen = await pause(at: failure, journey, open)
    await open.close()
  }

  /// Reads the file again, and returns the journey as it is declared there now.
  func reread(_ journey: PlannedJourney) async -> PlannedJourney {
    if let open { await abandon(open) }
    guard let text = worker.source(of: file.script.name) else {
      let name = file.script.name.printable
      worker.post(
        .log(
          LogEvent(level: .warning, text: "\(name) cannot be read; it runs as it was read before")))
      return journey
    }
    file.script = Script(text: text, name: file.script.name, folder: file.script.name.folder)
    worker.note(file.script)
    // A journey that is gone fails with that as its message.
    let declared = (try? await reopened(within: worker.limit))?.journeys ?? []
    guard let found = declared.first(where: { $0.name == journey.name }) else {
      return journey
    }
    var journey = journey
    (journey.index, journey.line) = (found.index, found.line)
    (journey.timeout, journey.retries) = (found.timeout, found.retries)
    return journey
  }
}
