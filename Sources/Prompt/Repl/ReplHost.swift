import SignIn
import Emulator
import HTTP
import IdentityToolkit
import Host
import Synchronization

/// Opens the targets that a prompt requests, from the command line and the project file.
final class ReplHost: PromptHost {
  private let arguments: ParsedArguments
  private let console: Console
  private let settings: EmulatorSettings
  private let consent: RealProjectConsent
  private let pages: SignInTrace?
  private let browser: BrowserOptions
  private let memory: Int
  private let observer = SecretObserver(recordsJourneys: true)
  private let board: PromptOutput
  private let failure = Mutex(ExitCode.unavailable)

  init(
    _ arguments: ParsedArguments, _ console: Console, _ board: PromptOutput
  ) throws(UsageError) {
    self.arguments = arguments
    self.board = board
    self.console = console
    memory =
      try arguments.values["memory"].map { text throws(UsageError) in
        try Quantity.bytes(text, "--memory")
      } ?? 0
    pages = try BrowserOption.pages(arguments, console)
    browser = try BrowserOption.browser(arguments)
    settings = try EmulatorSettings(arguments, rules: "production")
    consent = try RealProjectConsent(arguments, console, remembersRefusal: false)
  }

  /// The exit code when the last target could not be opened.
  var code: ExitCode { failure.withLock(\.self) }

  func place(_ wish: PromptWish) async throws(PromptProblem) -> PromptTarget {
    do throws(CommandFailure) {
      let project = try ProjectFile.find(
        wish.project ?? arguments.values["project"], near: nil, console)
      let place = try await project.place(
        wish.target ?? arguments.values["target"],
        config: wish.target == nil ? arguments.values["config"] : nil, console, settings)
      // Keep the current session if the new target does not respond.
      if wish.target != nil, place.emulator == nil, place.target.isEmulated,
        case .failure(let error) = await TargetCheck.ask(place.target)
      {
        throw CommandFailure(.unavailable, error.message, hint: error.hint)
      }
      let context = place.context(
        memory: memory, console, consent.projectGuard(of: place, isNamed: wish.target == nil),
        trace: { [board] in board.traced($0) },
        pages: pages, browser: browser, observer: observer)
      observer.begin(context)
      let emulator = place.emulator
      let target =
        emulator == nil
        ? (wish.target ?? arguments.values["target"] ?? "the emulator of the environment")
        : "the emulator inside luath"
      return PromptTarget(
        context: context, words: "\(target), project \(place.target.projectID)",
        projectFile: project.path, close: { await emulator?.stop() })
    } catch {
      failure.withLock { $0 = error.code }
      throw PromptProblem(error.message, hint: error.hint)
    }
  }

  func clean(_ text: String) -> String { observer.clean(text) }
}
