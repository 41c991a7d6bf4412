import Glibc
public import Host
import Synchronization
import System

/// Opens the prompt where a journey or script is paused.
public final class TerminalPausePrompt: PausePrompt {
  private struct State {
    var isTaken = false
    var isEnded = false
    var waiting: [CheckedContinuation<Void, Never>] = []
    /// The interrupts of the open prompt.
    var interrupts: PromptInterrupts?
  }

  private let state = Mutex(State())
  private let edits = JourneyEdits()
  private let console: PromptConsole
  private let output: PauseOutput

  /// Creates the prompt for pauses at a terminal; nil without one.
  ///
  /// - Parameter all: The commands of luath, which `.help` explains.
  public init?(
    _ console: Console, _ output: PauseOutput, amongst all: @escaping @Sendable () -> [Command]
  ) {
    guard console.isInteractive else { return nil }
    self.console = PromptConsole(console, all())
    self.output = output
  }

  /// Opens the prompt until its user leaves it; see `PausePrompt`.
  public func open(in interpreter: Interpreter, at spot: PauseSpot) async -> PauseAnswer {
    await takeTurn()
    defer { giveTurn() }
    let board = PromptOutput(console, isTracing: false)
    let interrupts = PromptInterrupts(console)
    guard begin(interrupts) else { return .abort }
    output.hold(true)
    Interrupts.redirect(to: interrupts)
    defer {
      Interrupts.redirect(to: nil)
      output.hold(false)
    }
    let prompt = Prompt(
      settings: PromptSettings(environment: console.environment), console: console,
      host: PauseHost(output: output), board: board, interrupts: interrupts, edits: edits)
    do throws(PromptProblem) {
      let answer = try await prompt.run(in: interpreter, at: spot).answer
      // The pauses of other workers, which wait for their turn, belong to the run that ends.
      if answer == .abort { state.withLock { $0.isEnded = true } }
      return answer
    } catch {
      console.writeError(Console.words(error.message, hint: error.hint))
      return .abort
    }
  }

  /// Ends the open prompt and all later ones with `abort`.
  public func end() {
    let interrupts = state.withLock { state in
      state.isEnded = true
      return state.interrupts
    }
    interrupts?.end()
  }

  /// Restores the modes of the terminal, for a process that ends at once.
  public func restoreTerminal() { TerminalDevice.restore() }

  /// Waits until no other pause of the process is open.
  private func takeTurn() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        if state.isTaken { state.waiting.append(continuation) }
        defer { state.isTaken = true }
        return !state.isTaken
      }
      if isFree { continuation.resume() }
    }
  }

  private func giveTurn() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      state.interrupts = nil
      if state.waiting.isEmpty {
        state.isTaken = false
        return nil
      }
      return state.waiting.removeFirst()
    }
    next?.resume()
  }

  /// Whether a prompt may begin: not when the run has ended meanwhile.
  private func begin(_ interrupts: PromptInterrupts) -> Bool {
    state.withLock { state in
      guard !state.isEnded else { return false }
      state.interrupts = interrupts
      return true
    }
  }
}

/// What a pause offers to its prompt.
private struct PauseHost: PromptHost {
  let output: PauseOutput

  func place(_ wish: PromptWish) async throws(PromptProblem) -> PromptTarget {
    throw PromptProblem("a pause keeps the target of its run")
  }

  func hide(_ passwords: [String]) { output.hide(passwords) }

  func clean(_ text: String) -> String { output.clean(text) }
}

/// The text with which a pause begins: why and where, the lines around it, and the variables.
struct PauseText {
  private let spot: PauseSpot
  private let variables: [String]
  private let source: ShownSource?

  /// - Parameter source: The source of a file, without its secrets.
  init(_ spot: PauseSpot, _ variables: [String], _ source: (String) -> ShownSource?) {
    self.spot = spot
    self.variables = variables
    self.source = spot.file.flatMap(source)
  }

  /// The lines before and after the place that are shown.
  private static let reach = 2

  var whole: String {
    var lines: [String] = []
    if let failure = spot.failure {
      lines += failure.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }
    lines.append(headline)
    lines += excerpt
    if !variables.isEmpty { lines.append("variables: \(variables.joined(separator: ", "))") }
    let isScript = spot.journey.isEmpty
    let step = spot.reason == .failure || isScript ? "" : ".step goes on to the next step, "
    let retry = isScript ? "" : ".retry runs the journey again, "
    lines.append(".continue goes on, \(step)\(retry).abort ends the run; .help lists all commands")
    return lines.map { $0 + "\n" }.joined()
  }

  private var headline: String {
    let verb =
      switch spot.reason {
      case .call: "paused"
      case .step: "paused before the step \"\(spot.next?.printable ?? "")\""
      case .failure: "paused after the failure"
      }
    var words = verb
    if let file = spot.file { words += " at \(file.printable)\(spot.line.map { ":\($0)" } ?? "")" }
    let names = (spot.journey + spot.steps).map(\.printable).joined(separator: " > ")
    if !names.isEmpty { words += ", in \(names)" }
    return words
  }

  private var excerpt: [String] {
    guard let source, let line = spot.line else { return [] }
    let first = max(1, line - Self.reach)
    return (first...(line + Self.reach)).compactMap { number in
      guard let excerpt = SourceExcerpt(number, of: source) else { return nil }
      let width = String(line + Self.reach).count
      let padding = String(repeating: " ", count: width - String(number).count)
      return "\(number == line ? ">" : " ") \(padding)\(number) | \(excerpt.line)"
    }
  }
}
