import Emulator
import HTTP
import Host
import IdentityToolkit
import SignIn
import Synchronization
import System

/// Creates a target for each worker of a run.
struct WorkerTargets: Sendable {
  private let target: String?
  private let config: String?
  private let memory: Int
  private let settings: EmulatorSettings
  private let browser: BrowserOptions
  private let pages: SignInTrace?
  private let console: Console
  private let consent: RealProjectConsent
  private let showsSecrets: Bool
  /// Whether there is one emulator that runs journeys, which can have the port of the project file.
  private let usesPort: Bool
  private let guards = SharedGuard()
  /// Shared by all workers, because generating keys takes longer than most journeys.
  private let keys: SigningKeys
  /// The target as reports name it, set when a target is created.
  let reported = ReportedTarget()

  init(
    _ arguments: ParsedArguments, _ console: Console, isLoad: Bool = false
  ) throws(UsageError) {
    target = arguments.values["target"]
    config = arguments.values["config"]
    memory =
      try arguments.values["memory"].map { text throws(UsageError) in
        try Quantity.bytes(text, "--memory")
      } ?? 0
    settings = try EmulatorSettings(arguments, rules: "production").sharingSeed
    browser = try BrowserOption.browser(arguments)
    pages = try BrowserOption.pages(arguments, console)
    self.console = console
    keys = SigningKeys(cache: KeyCache(environment: console.environment))
    showsSecrets = arguments.flags.contains("show-secrets")
    consent = try RealProjectConsent(arguments, console, isLoad: isLoad)
    // The projects that `--ui` keeps have an emulator each.
    let isExcepted = ["list", "dry-run", "ui"].contains(where: arguments.flags.contains)
    usesPort = !isLoad && !isExcepted && (arguments.values["jobs"] ?? "1") == "1"
  }

  /// Creates a target for one worker: a new emulator, or the target that all workers share.
  ///
  /// - Parameter kept: Keeps the emulated projects of the journeys that have ended; nil drops them.
  func make(
    _ project: ProjectFile, keeping kept: KeptProjects? = nil
  ) async throws(RunProblem) -> WorkerTarget {
    let place: ResolvedTarget
    do throws(CommandFailure) {
      place = try await project.place(
        target, config: config, console, settings, keys: keys, usesPort: usesPort)
      try consent.requireLoad(of: place)
    } catch {
      throw RunProblem(error.message, hint: error.hint, exit: error.code.rawValue)
    }
    guard !showsSecrets || place.target.isLoopbackEmulator else {
      throw RunProblem(
        "--show-secrets is only for emulators on this machine",
        hint: "leave it out, or use the built-in emulator or one at 127.0.0.1",
        exit: ExitCode.usage.rawValue)
    }
    // No journey waits for keys.
    await place.emulator?.waitForKeys()
    let projectGuard = guards.made { consent.projectGuard(of: place) }
    reported.note(place, named: target, config: config, console.environment)
    return WorkerTarget(
      isInside: place.emulator != nil,
      context: { [self] observer in
        let context = place.context(
          memory: memory, console, projectGuard, trace: nil, pages: pages, browser: browser,
          observer: observer)
        guard showsSecrets else { return context }
        return context.onlyLoopback(
          otherwise: "a run without --show-secrets, which is for emulators on this machine")
      },
      renew: { attempt in
        guard let emulator = place.emulator else { return }
        var random = SeededGenerator(seed: 0, name: "\(attempt.journey) \(attempt.attempt)")
        let chance = random.next()
        guard let kept else { return await emulator.renew(chance: chance) }
        await kept.renew(emulator, for: attempt.journey, chance: chance)
      },
      close: {
        guard let emulator = place.emulator else { return }
        if let kept { await kept.leave(emulator) } else { await emulator.stop() }
      }, pages: pages,
      observeMessages: { receive in await place.emulator?.observeMessages(receive) })
  }
}

/// The project guard shared by all workers of a run, so that the user is asked only once.
private final class SharedGuard: Sendable {
  private let made = Mutex<ProjectGuard?>(nil)

  func made(_ make: () -> ProjectGuard) -> ProjectGuard {
    made.withLock { made in
      let shared = made ?? make()
      made = shared
      return shared
    }
  }
}

/// The target of one worker's journeys, reset for each journey.
struct WorkerTarget: Sendable {
  /// Whether the target is the run's own emulator, so that what journeys leave there ends with it.
  let isInside: Bool
  /// Returns the context of scripts, with an observer of what they do.
  let context: @Sendable (any RunObserver) -> ScriptContext
  /// Resets an emulated project; does nothing on a real one.
  ///
  /// Seeds the emulator's random values. The same attempt always gets the same sequence.
  let renew: @Sendable (_ attempt: EventSource) async -> Void
  /// Closes what only this worker used.
  let close: @Sendable () async -> Void
  /// Where `--pages` saves pages and attachments; nil without it.
  var pages: SignInTrace? = nil
  /// Reports every e-mail and SMS of the run's own emulator; does nothing on any other target.
  var observeMessages: @Sendable (@escaping @Sendable (SentMessage) -> Void) async -> Void = { _ in
  }
}
