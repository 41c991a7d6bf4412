import Glibc
import Host
import System

/// The commands of a pause.
extension PromptLoop {
  func tellPlace() {
    guard let spot else { return }
    board.write(PauseText(spot, session.variables, session.source(of:)).whole)
  }

  /// Leaves the pause, unless the script cannot go on in this way.
  func leave(_ name: String) {
    guard let spot, let answer = PauseAnswer(rawValue: name) else { return }
    let isScript = spot.journey.isEmpty
    if isScript, answer == .retry || answer == .step {
      let what = answer == .step ? "steps" : "journey that could run again"
      return tell(PromptProblem("a script has no \(what)", hint: ".continue goes on"))
    }
    if spot.reason == .failure, answer == .step {
      return tell(
        PromptProblem(
          "the journey has failed and has no next step",
          hint: ".retry runs it again, .continue goes on"))
    }
    ending.answer = answer
    isLeaving = true
  }

  /// Writes the entries into the file of the paused journey, at the place of the pause.
  func writeIntoJourney(_ argument: String) {
    guard argument.isEmpty else {
      return tell(
        PromptProblem(
          "at a pause, .journey writes into the file of the journey and takes no other",
          hint: ".save FILE writes the entries as a script"))
    }
    guard let spot, let file = spot.file, let line = spot.line else {
      return tell(
        PromptProblem(
          "the line of the pause is not known", hint: ".save FILE writes the entries as a script"))
    }
    do throws(PromptProblem) {
      let source = try console.read(file).get()
      let known = Set(session.variables).union(JourneyInsertion.names(definedIn: source))
      guard let lines = session.lines(after: written.entry, knowing: known) else {
        return tell(PromptProblem("no entry has succeeded that is not in the file"))
      }
      let running = session.interpreter.loadedSource(of: file) ?? source
      let isAfter = spot.reason == .call
      let place = try edits.line(line, of: file, running: running, now: source)
      let insertion = try JourneyInsertion(
        lines, at: place + (isAfter ? written.lines : 0), isAfter: isAfter, of: source)
      try ChangedFile.write(insertion.text, to: console.whole(file), shownAs: file)
      edits.note(insertion, in: file, running: running)
      written = (session.number, written.lines + insertion.count)
      let next = spot.journey.isEmpty ? "" : "; .retry runs the journey with it"
      board.note("written to \(file.printable):\(insertion.line)\(next)\n")
    } catch {
      tell(error)
    }
  }
}

/// Replaces the content of a file in one step.
enum ChangedFile {
  /// - Parameter name: The path as the user knows it.
  static func write(
    _ text: String, to path: String, shownAs name: String
  ) throws(PromptProblem) {
    var facts = stat()
    // A link stays one, and its file is replaced.
    guard stat(path, &facts) == 0, let whole = FileAccess.realPath(of: path) else {
      throw PromptProblem("cannot write \(name.printable): \(SystemError(errno).words)")
    }
    do throws(SystemError) {
      try AtomicFile.write(
        Array(text.utf8), to: whole, mode: UInt32(facts.st_mode & 0o777))
    } catch {
      throw PromptProblem(
        "cannot write \(name.printable): \(error.words)",
        hint: ".save FILE writes the entries to another file")
    }
  }
}
