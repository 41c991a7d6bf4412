import Emulator
import Glibc
import HTTP
import Host
import IdentityToolkit
import Journeys
import SignIn
import Synchronization
import System

/// One comparison, with project guard, Ctrl-C handling and report.
struct CompareRun {
  private let servers: ComparedServers
  private let options: CompareOptions
  private let consent: RealProjectConsent
  private let arguments: ParsedArguments
  private let console: Console
  private let name = RunName()

  init(
    _ servers: ComparedServers, _ options: CompareOptions, _ consent: RealProjectConsent,
    _ arguments: ParsedArguments, _ console: Console
  ) {
    self.servers = servers
    self.options = options
    self.consent = consent
    self.arguments = arguments
    self.console = console
  }

  func run(_ scenarios: [Scenario]) async throws(CommandFailure) -> ExitStatus {
    try RealProjectConsent.requireUnprotected(servers.target, "luath compare")
    let inputs = [servers.target.project.path].compactMap { $0 }
    let files = try CompareFiles(options, inputs: inputs, console)
    let began = Timestamp.text(milliseconds: Timestamp.now)
    let outcome = await play(scenarios)
    await servers.stop()
    let report = try outcome.get()
    let lines = report.text.split(separator: "\n", omittingEmptySubsequences: false)
    let problem = console.sendOutput(lines.map { String($0).printable }.joined(separator: "\n"))
    // The rules of a running emulator are unknown.
    let isKnown = servers.target.emulator != nil || !servers.target.target.isEmulated
    let rules = isKnown ? arguments.values["rules"] ?? "production" : nil
    try files.write(report, began: began, rules: rules)
    return .code(Self.code(of: report, isShown: problem == 0 || problem == EPIPE))
  }

  private static func code(of report: ComparisonReport, isShown: Bool) -> ExitCode {
    if report.ending == .interrupted { return .interrupted }
    guard report.isWhole, isShown else { return .unavailable }
    return report.count(.different) > 0 ? .failed : .ok
  }

  /// Runs the comparison on a separate event loop, so that requests and time limits are not delayed by other work.
  private func play(_ scenarios: [Scenario]) async -> Result<ComparisonReport, CommandFailure> {
    let loop: EventLoop
    do throws(HTTPError) {
      loop = try EventLoop(name: "compare")
      try loop.start()
    } catch {
      return .failure(CommandFailure(error))
    }
    defer {
      loop.stop()
      loop.join()
    }
    let stop = ComparisonStop(name.prefix, console)
    Interrupts.watchToTheEnd(stop)
    let targetContext = context(servers.target, stop)
    let otherContext = context(servers.other, stop)
    return await LoopActor(loop).run { actor in
      let first = Interpreter(context: targetContext, actor: actor)
      let second = Interpreter(context: otherContext, actor: actor)
      defer {
        _ = first.close()
        _ = second.close()
      }
      do throws(CommandFailure) {
        let target = try peer(servers.targetName, servers.target, first)
        let other = try peer(
          servers.otherName, servers.other, second, isTemporary: servers.other.emulator != nil)
        return .success(try await compare(target, other, scenarios, stop))
      } catch {
        return .failure(error)
      }
    }
  }

  private func compare(
    _ target: Peer, _ other: Peer, _ scenarios: [Scenario], _ stop: ComparisonStop
  ) async throws(CommandFailure) -> ComparisonReport {
    let isShown = console.terminal?.columns != nil
    let comparison = Comparison(
      of: target, with: other, scenarios, budget: options.budget, isStopped: { stop.isWanted }
    ) { [console] done, count in
      if isShown { console.writeError("\r\u{1B}[K\(done) of \(count) scenarios") }
    }
    defer { if isShown { console.writeError("\r\u{1B}[K") } }
    if isShown { console.writeError("examining \(target.name) and \(other.name)") }
    let accounts: Int
    do throws(PeerFailure) { accounts = try await comparison.examine() } catch {
      throw Self.failure(error)
    }
    if isShown { console.writeError("\r\u{1B}[K") }
    try requireFew(accounts)
    console.writeError(
      "luath: comparing \(target.name) with \(other.name): \(Counted.text(comparison.playable, "scenario")), at most "
        + "\(options.budget) requests; accounts begin with \(name.prefix)\n")
    do throws(PeerFailure) {
      if comparison.callsFunctions {
        console.warn(
          "the project has blocking functions, which are called for the accounts of this run",
          hint:
            "let them accept addresses that begin with luath-compare-, or compare another project")
      }
      return try await comparison.run()
    } catch {
      throw Self.failure(error)
    }
  }

  private static func failure(_ error: PeerFailure) -> CommandFailure {
    CommandFailure(
      error.isRefusedByGuard ? .usage : .unavailable, error.message.printable,
      hint: error.hint.printable)
  }

  /// Throws if a real project has so many accounts that real users seem to use it.
  private func requireFew(_ accounts: Int) throws(CommandFailure) {
    let place = servers.target
    let id = place.target.projectID
    guard !place.target.isEmulated, accounts > Peer.handful, !arguments.list("yes").contains(id)
    else { return }
    throw CommandFailure(
      .usage, "the project \(id.printable) has more than \(Peer.handful) accounts",
      hint: "compare a project for tests; if you mean this one: --yes \(ShellWord.quoted(id))")
  }

  private func context(_ place: ResolvedTarget, _ stop: ComparisonStop) -> ScriptContext {
    place.context(
      memory: 0, console,
      consent.projectGuard(of: place, isNamed: false, whileAsking: { stop.asks($0) }), trace: nil)
  }

  private func peer(
    _ name: String, _ place: ResolvedTarget, _ interpreter: Interpreter, isTemporary: Bool = false
  ) throws(CommandFailure) -> Peer {
    do throws(ScriptFailure) {
      return Peer(
        name, target: place.target, transport: interpreter.guardedTransport,
        admin: try interpreter.administrator(tenantID: nil), run: self.name,
        isTemporary: isTemporary, hasOwnClock: place.emulator != nil,
        secondsAhead: place.emulator?.clock.advance ?? 0)
    } catch {
      throw CommandFailure(
        .usage, error.message.printable,
        hint: place.target.isEmulated
          ? error.hint : "set GOOGLE_APPLICATION_CREDENTIALS to the path of the project's key")
    }
  }
}

/// Handles Ctrl-C: the first one ends the comparison in an orderly way, the second one the process.
private final class ComparisonStop: Interruptible {
  private let wanted = Atomic<Bool>(false)
  private let isAsking = Atomic<Bool>(false)
  private let prefix: String
  private let console: Console

  init(_ prefix: String, _ console: Console) {
    self.prefix = prefix
    self.console = console
  }

  var isWanted: Bool { wanted.load(ordering: .relaxed) }

  func interrupt() async {
    wanted.store(true, ordering: .relaxed)
    if isAsking.load(ordering: .relaxed) {
      // The answer to the question blocks the run, which has changed nothing yet.
      console.abandon(.interrupted, "\n")
    }
    console.writeError("luath: ending; the accounts of this run are being deleted\n")
  }

  /// Records whether the user is being asked for consent.
  func asks(_ value: Bool) { isAsking.store(value, ordering: .relaxed) }

  func drop() {
    console.abandon(
      .interrupted,
      Console.words(
        "ended before the accounts were deleted",
        hint: "delete the accounts that begin with \(prefix)"))
  }
}

struct ComparedServers {
  let target: ResolvedTarget
  let targetName: String
  let other: ResolvedTarget
  let otherName: String

  init(
    _ arguments: ParsedArguments, _ console: Console, _ settings: EmulatorSettings,
    _ options: CompareOptions
  ) async throws(CommandFailure) {
    let variable = console.environment["FIREBASE_AUTH_EMULATOR_HOST"] ?? ""
    let name = arguments.values["target"]
    guard name != nil || arguments.values["config"] != nil || !variable.isEmpty else {
      throw CommandFailure(
        .usage, "luath compare needs the target to examine",
        hint: "--target NAME: firebase, a target of luath.lua, or HOST:PORT of an emulator")
    }
    var project = try ProjectFile.find(arguments.values["project"], near: nil, console)
    // Set a key, because a scenario with a wrong key needs a right one.
    if name == ProjectFile.emulator, project.configuration.apiKey == nil {
      project.configuration.apiKey = Secret(RunName.shownKey)
    }
    target = try await project.place(name, config: arguments.values["config"], console, settings)
    targetName =
      (name ?? (arguments.values["config"] == nil ? variable : ProjectFile.firebase)).printable
    if target.target.isEmulated, !arguments.list("yes").isEmpty {
      await target.emulator?.stop()
      throw CommandFailure(
        .usage, "--yes is for real projects, and the target is an emulator: \(targetName)",
        hint: "leave it out: emulators are compared without a question")
    }
    switch options.other {
    case .emulator(let address):
      other = try await project.place(
        address, config: nil, console, EmulatorSettings(rules: .production))
      otherName = address.printable
    case .rules(let rules, let name):
      // Tokens and addresses contain the project id, and a wrong key must be rejected as in the real project.
      project.configuration.id = target.target.projectID
      if !target.target.isEmulated { project.configuration.apiKey = target.target.apiKey }
      var plain = EmulatorSettings(rules: rules)
      plain.start = settings.start
      other = try await project.place(ProjectFile.emulator, config: nil, console, plain)
      otherName = "\(name) rules"
    }
  }

  /// Stops the emulators in this process.
  func stop() async {
    await target.emulator?.stop()
    await other.emulator?.stop()
  }

  /// The requests that would be sent to the target, and their number.
  func preview(of scenarios: [Scenario], budget: Int) -> String {
    let isEmulated = target.target.isEmulated && other.target.isEmulated
    let played = scenarios.filter { isEmulated || $0.emulatorsOnly == nil }
    let requests = Comparison.requests(played, isEmulated: target.target.isEmulated)
    var text = ""
    for scenario in played {
      text += "\(scenario.name)\n"
      for line in scenario.preview { text += "  \(line.printable)\n" }
    }
    text += "\nbefore them\n"
    for line in Peer.examination { text += "  \(line)\n" }
    text += "\(target.target.isEmulated ? "after each" : "now and then"), and at the end\n"
    for line in Peer.deletion { text += "  \(line)\n" }
    let kind = target.target.isEmulated ? "emulator" : "real project"
    let accounts = Comparison.accounts(played)
    text += "\n\(targetName): \(kind), project \(target.target.projectID.printable)\n"
    text += "\(Counted.text(played.count, "scenario")), at most "
    text += "\(Counted.text(requests, "request")) with all of these; budget \(budget)"
    text += requests <= budget ? "\n" : ", which is not enough for all: --budget N allows more\n"
    text +=
      "\(Counted.text(accounts, "account")) at most, \(Comparison.signUps(played)) of them by sign-ups of clients; "
    text += "addresses luath-compare-…@example.com, uids luath-compare-…\n"
    if played.count < scenarios.count {
      let rest = Counted.text(scenarios.count - played.count, "scenario")
      text += "not played, as it is for emulators only: \(rest)\n"
    }
    return text
  }
}
