import Emulator
public import HTTP
public import IdentityToolkit
public import System
import Glibc

/// The checks of `luath doctor` for targets: the given one, or all of the project file.
public struct TargetCheck {
  private let arguments: ParsedArguments
  private let console: Console
  private let settings: EmulatorSettings

  /// Reads the options; throws for values that are not valid.
  public init(_ arguments: ParsedArguments, _ console: Console) throws(UsageError) {
    self.arguments = arguments
    settings = try EmulatorSettings(arguments, rules: "production")
    self.console = console
  }

  /// Checks the target, step by step.
  public func findings() async -> [DoctorFinding] {
    let project: ProjectFile
    do throws(CommandFailure) {
      project = try ProjectFile.find(arguments.values["project"], near: nil, console)
    } catch {
      return [.problem("project file", error.message, error.hint ?? "correct it")]
    }
    let file =
      project.path.map { DoctorFinding.ok("project file", $0.printable) }
      ?? .ok("project file", "none: a demo project is emulated")
    var findings = [file]
    var clocks: [(name: String, seconds: Int64)] = []
    let names = names(project)
    for name in names {
      let (finding, clock) = await look(at: name, project)
      findings.append(finding)
      if let clock { clocks.append((name ?? "the emulator", clock)) }
    }
    return findings + [Self.clock(clocks)]
  }

  /// The targets to check; nil means the default target of a run without `--target`.
  private func names(_ project: ProjectFile) -> [String?] {
    if let name = arguments.values["target"] { return [name] }
    if arguments.values["config"] != nil { return [nil] }
    return [nil] + Set(project.targets.keys).union(project.unusableTargets.keys).sorted()
  }

  /// Checks a target with a request for the public client configuration, which requires a valid API key.
  private func look(at name: String?, _ project: ProjectFile) async -> (
    DoctorFinding, clock: Int64?
  ) {
    let subject =
      "target " + (name ?? (arguments.values["config"] == nil ? "emulator" : "firebase"))
    let place: ResolvedTarget
    do throws(CommandFailure) {
      place = try await project.place(
        name, config: arguments.values["config"], console, settings)
    } catch {
      let advice = error.hint ?? "correct the project file"
      // A project file's target that lacks something on this machine is only a warning, unless it was requested.
      let isAskedFor = arguments.values["target"] != nil || arguments.values["config"] != nil
      return (
        isAskedFor || name == nil
          ? .problem(subject.printable, error.message, advice)
          : .warning(subject.printable, error.message, advice), nil
      )
    }
    let answer = await Self.ask(place.target)
    let isFirebase = place.emulator == nil ? await Self.isFirebaseEmulator(place.target) : false
    await place.emulator?.stop()
    return Self.finding(
      subject.printable, place, answer, wanted: name == nil || arguments.values["target"] != nil,
      isFirebaseEmulator: isFirebase)
  }

  /// Requests the public client configuration of a target.
  public static func ask(_ target: Target) async -> Result<HTTPResponse, HTTPError> {
    await withClient(of: target) { (client) throws(HTTPError) in
      try await client.send(
        HTTPRequest(
          url: target.url(for: .getProjectConfig), headers: target.headers,
          timeout: .seconds(15), maximumResponseBytes: 1 << 20))
    }
  }

  /// Whether a target is Firebase's emulator.
  private static func isFirebaseEmulator(_ target: Target) async -> Bool {
    guard case .emulator(let url) = target.backend else { return false }
    return await emulatorKind(at: url) == .firebase
  }

  /// The emulator at a URL; nil when there is none, or it does not respond in time.
  public static func emulatorKind(
    at url: WebURL, within timeout: Duration = .seconds(15)
  ) async -> EmulatorKind? {
    let target = Target(projectID: "demo", apiKey: Secret("none"), backend: .emulator(url))
    let kind = await withClient(of: target) { (client) throws(HTTPError) in
      try await EmulatorKind.detect(at: url, over: client, timeout: timeout)
    }
    return (try? kind.get()) ?? nil
  }

  /// Runs `work` with an HTTP client for a target.
  private static func withClient<Value: Sendable>(
    of target: Target, _ work: @escaping @Sendable (HTTPClient) async throws(HTTPError) -> Value
  ) async -> Result<Value, HTTPError> {
    do throws(HTTPError) {
      let loop = try EventLoop(name: "doctor")
      try loop.start()
      defer {
        loop.stop()
        loop.join()
      }
      return await LoopActor(loop).run { _ in
        var options = ClientOptions()
        options.places = target.hostOverrides.places
        if let file = target.hostOverrides.certificateFile { options.certificateFile = file }
        let client = HTTPClient(loop: loop, options: options)
        do throws(HTTPError) {
          return .success(try await work(client))
        } catch {
          return .failure(error)
        }
      }
    } catch {
      return .failure(error)
    }
  }

  private static func finding(
    _ subject: String, _ place: ResolvedTarget, _ answer: Result<HTTPResponse, HTTPError>,
    wanted: Bool,
    isFirebaseEmulator: Bool
  ) -> (DoctorFinding, clock: Int64?) {
    let response: HTTPResponse
    switch answer {
    case .failure(let error):
      return (
        wanted
          ? .problem(subject, error.message, error.hint)
          : .warning(subject, error.message, error.hint), nil
      )
    case .success(let success): response = success
    }
    // The built-in emulator uses this machine's clock, so do not compare it.
    let clock =
      place.emulator == nil ? response.headers["Date"].flatMap(HTTPDate.seconds(parsing:)) : nil
    let host =
      switch place.target.backend {
      case .emulator(let url): place.emulator == nil ? url.host : "inside luath"
      case .production: Endpoint.getProjectConfig.service.host
      }
    let milliseconds = response.duration.inMilliseconds
    guard response.status == 200 else {
      let key = place.target.apiKey.reveal()
      let answer = (try? JSON.parse(response.body))?["error"]?["message"]?.string ?? ""
      let said = answer.contains(key) ? "" : answer
      return (
        .problem(
          subject,
          "\(host) returned \(response.status)\(said.isEmpty ? "" : ": \(said.printable)")",
          place.target.isEmulated
            ? "check that an emulator of Firebase Auth listens there"
            : "check the project's API key and its restrictions"), clock
      )
    }
    let text = "\(place.target.projectID.printable), \(host), \(milliseconds) ms"
    guard isFirebaseEmulator else { return (.ok(subject, text), clock) }
    let lacks = EmulatorFeature.allCases.map { "no \($0.name)" }.joined(separator: ", ")
    return (
      .warning(
        subject, "\(text): Firebase's emulator, which has \(lacks)", EmulatorFeature.hint), clock
    )
  }

  /// Compares the clocks, because token times must agree between machines, and one-time codes last 30 seconds.
  private static func clock(_ others: [(name: String, seconds: Int64)]) -> DoctorFinding {
    let now = Int64(time(nil))
    let shown = Timestamp.text(milliseconds: now * 1000)
    guard let worst = others.max(by: { abs($0.seconds - now) < abs($1.seconds - now) }) else {
      return .ok("clock", "\(shown), not compared: no target on another machine responded")
    }
    let difference = now - worst.seconds
    let words =
      "\(abs(difference)) s \(difference < 0 ? "behind" : "ahead of") \(worst.name.printable)"
    let advice = "set this machine's clock, best by NTP: timedatectl set-ntp true"
    return switch abs(difference) {
    // The Date header has whole seconds, and the response took time.
    case 0...10: .ok("clock", "\(shown), as \(worst.name.printable) has it")
    case 11...299: .warning("clock", "\(words): one-time codes may fail", advice)
    default: .problem("clock", "\(words): tokens will be refused", advice)
    }
  }
}

/// The result of one check of `luath doctor`.
public struct DoctorFinding: Sendable {
  /// How serious a finding is.
  public enum Level: String, Sendable {
    case ok
    /// Something that only some uses of luath need, or that may be unexpected.
    case warning
    /// Something that luath needs for the requested use.
    case problem
  }

  /// What was checked, in a word or two.
  public let subject: String
  /// How serious it is.
  public let level: Level
  /// The result, without secrets.
  let text: String
  /// The hint; nil if there is no problem.
  let advice: String?

  /// A finding that is in order.
  public static func ok(_ subject: String, _ text: String) -> DoctorFinding {
    DoctorFinding(subject: subject, level: .ok, text: text, advice: nil)
  }

  /// A finding that may cause trouble, with advice.
  public static func warning(_ subject: String, _ text: String, _ advice: String) -> DoctorFinding {
    DoctorFinding(subject: subject, level: .warning, text: text, advice: advice)
  }

  /// A finding that prevents sign-ins, with advice.
  public static func problem(_ subject: String, _ text: String, _ advice: String) -> DoctorFinding {
    DoctorFinding(subject: subject, level: .problem, text: text, advice: advice)
  }

  /// The result as one line, and the hint on the next line.
  public func lines(width: Int) -> String {
    func column(_ text: String, _ width: Int) -> String {
      text + String(repeating: " ", count: max(width - text.count, 0)) + "  "
    }
    let line = column(level.rawValue, 7) + column(subject, width) + text + "\n"
    guard let advice, !advice.isEmpty else { return line }
    return line + column("", 7) + column("", width) + "hint: \(advice)\n"
  }

  /// The finding as an object.
  public var json: JSON {
    var members: JSONObject = [
      "check": .string(subject), "level": .string(level.rawValue), "text": .string(text),
    ]
    if let advice { members["hint"] = .string(advice) }
    return .object(members)
  }
}
