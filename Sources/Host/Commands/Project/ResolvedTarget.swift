public import Emulator
public import HTTP
public import IdentityToolkit
import Lua
public import SignIn
import Synchronization
import System

/// A resolved target to run a script against, with the built-in emulator if that is the target.
public struct ResolvedTarget: Sendable {
  /// What scripts connect to.
  public let target: Target
  /// The file that names the target.
  public let project: ProjectFile
  let people: [EmulatedPerson]
  /// The built-in emulator; nil for any other target.
  public let emulator: Emulator?

  /// The context for scripts against this target.
  public func context(
    memory: Int, _ console: Console, _ projectGuard: ProjectGuard,
    trace: (@Sendable (String) -> Void)?,
    pages: SignInTrace? = nil, browser: BrowserOptions = BrowserOptions(),
    observer: (any RunObserver)? = nil
  ) -> ScriptContext {
    var context = ScriptContext(
      target: target, targets: project.targets,
      unusableTargets: project.unusableTargets.mapValues(\.words), people: people,
      secrets: project.configuration.providers.values.compactMap(\.clientSecret),
      terminal: console.terminal, memoryLimit: memory, trace: trace,
      warn: { console.warn($0, hint: $1) }, pages: pages, browser: browser, observer: observer,
      environment: console.environment, clockAdvance: emulator?.clock.advance ?? 0,
      emulatorKind: emulator == nil ? nil : .luath)
    context.projectGuard = projectGuard
    if emulator != nil {
      context.projectFile = ProjectFileAdvice(path: project.path, project.configuration)
    }
    if target.isEmulated {
      context.admitsAnyone = project.configuration.admitsAnyone
      context.issuers = project.configuration.issuers
    }
    return context
  }
}

extension ProjectFile {
  /// Resolves a target by name; starts the built-in emulator if that is the target.
  ///
  /// - Parameter usesPort: Whether the emulator listens at the project file's port, if it has one. A command that may
  ///   have several emulators at the same time uses free ports.
  public func place(
    _ name: String?, config: String?, _ console: Console, _ settings: EmulatorSettings,
    keys: SigningKeys? = nil, usesPort: Bool = false
  ) async throws(CommandFailure) -> ResolvedTarget {
    let environment = console.environment
    if config != nil, let name, name != Self.firebase {
      throw CommandFailure(
        .usage, "--config is for the target firebase, and this run has another",
        hint: "leave one out")
    }
    let name = config == nil ? name : Self.firebase
    let variable = "FIREBASE_AUTH_EMULATOR_HOST"
    let host = name == nil ? environment[variable].flatMap { $0.isEmpty ? nil : $0 } : nil
    guard name == nil && host == nil || name == Self.emulator else {
      if let option = settings.given.first {
        throw CommandFailure(
          .usage, "--\(option) is for the emulator inside luath, and this run has another target",
          hint: "leave it out, or start luath emulator --\(option) … and run against that")
      }
      let target =
        if let name {
          try target(named: name, config, console)
        } else {
          try named(byVariableOf: console).emulated(at: host ?? "", variable)
        }
      return ResolvedTarget(target: target, people: target.isEmulated ? people : [], self)
    }
    let fixed = usesPort ? configuration.port : nil
    do throws(HTTPError) {
      let emulator = try settings.emulator(
        of: configuration, keys: keys ?? SigningKeys(cache: KeyCache(environment: environment)))
      let port = try await emulator.start(port: fixed ?? 0)
      guard let url = WebURL("http://127.0.0.1:\(port)") else {
        preconditionFailure("the address is built from a number")
      }
      return place(on: emulator, at: url)
    } catch {
      guard let fixed, [.portInUse, .portReserved].contains(error.code) else {
        throw CommandFailure(error)
      }
      throw CommandFailure(
        .unavailable, error.message,
        hint: error.hint(
          forPortOf: portSetting,
          "end the program that uses it, or choose another port; "
            + "if it is an emulator, use it with --target 127.0.0.1:\(fixed)"))
    }
  }

  /// How the file sets the emulator's port, for hints.
  public var portSetting: String {
    "\((path ?? "").printable) sets port = \(configuration.port ?? 0)"
  }

  /// The target of a script that runs against an emulator in this process.
  public func place(on emulator: Emulator, at url: WebURL) -> ResolvedTarget {
    ResolvedTarget(target: emulatedTarget(url), project: self, people: people, emulator: emulator)
  }

  private func target(
    named name: String, _ config: String?, _ console: Console
  ) throws(CommandFailure) -> Target {
    if name == Self.firebase {
      return try firebaseTarget(config: config, console.environment, console)
    }
    if let target = targets[name] { return target }
    try requireUsable(name)
    let prefix = "\(Self.emulator):"
    if name.hasPrefix(prefix) {
      return try emulated(at: String(name.dropFirst(prefix.count)), "--target")
    }
    guard name.contains(":") else { throw unknown(name) }
    return try emulated(at: name, "--target")
  }

  private func unknown(_ name: String) -> CommandFailure {
    let names =
      (Set(targets.keys).union(unusableTargets.keys)).subtracting([Self.firebase]).sorted()
      + [Self.emulator, Self.firebase]
    let near = nearestName(to: name, among: names).map { "did you mean \($0)?" }
    return CommandFailure(
      .usage, "there is no target '\(name.printable)'",
      hint: near ?? "known: \(names.joined(separator: ", ")); or HOST:PORT of an emulator")
  }

  /// The project with an id from elsewhere, unless its file has one.
  func named(_ id: String?) -> ProjectFile {
    var project = self
    if let id, !id.isEmpty, configuration.id == ProjectConfiguration.demo.id {
      project.configuration.id = id
    }
    return project
  }

  /// The project with the id in the environment, unless its file has one; warns of an id that cannot be used.
  private func named(byVariableOf console: Console) -> ProjectFile {
    let variable = "GCLOUD_PROJECT"
    guard let id = console.environment[variable], !id.isEmpty, named(id).configuration.id == id,
      !ProjectConfiguration.isProjectID(id)
    else { return named(console.environment[variable]) }
    // Once, as each worker of a run resolves its target.
    if warnedIDs.withLock({ $0.insert(id).inserted }) {
      console.warn(
        "\(variable) is not used: '\(id.printable)' is not the id of a project",
        hint: "use up to 63 lower-case letters, digits and hyphens, such as demo-shop")
    }
    return self
  }

  private func emulated(at host: String, _ source: String) throws(CommandFailure) -> Target {
    switch EmulatorAddress(host) {
    case .address(let url): return emulatedTarget(url)
    case .wrong(let message, let hint):
      throw CommandFailure(.usage, "\(source) \(message): \(host.printable)", hint: hint)
    }
  }

  private func emulatedTarget(_ url: WebURL) -> Target {
    Target(
      projectID: configuration.id, apiKey: configuration.apiKey ?? Target.anyKey,
      backend: .emulator(url))
  }

  private var people: [EmulatedPerson] {
    configuration.people.map { person in
      var user = EmulatedPerson(
        email: person.email, password: person.password.reveal(), providers: person.providers ?? [])
      user.microsoft = person.microsoft
      return user
    }
  }
}

extension HTTPError {
  /// The hint for a port of a file at which nothing can listen.
  ///
  /// - Parameters:
  ///   - setting: The file and the port.
  ///   - advice: What to do if another program uses the port.
  public func hint(forPortOf setting: String, _ advice: String) -> String {
    "\(setting): \(code == .portReserved ? "choose a port above 1023" : advice)"
  }
}

/// The ids that a warning was printed for.
private let warnedIDs = Mutex<Set<String>>([])

extension ResolvedTarget {
  fileprivate init(target: Target, people: [EmulatedPerson], _ project: ProjectFile) {
    self.init(target: target, project: project, people: people, emulator: nil)
  }
}

/// The parsed address of an emulator.
public enum EmulatorAddress: Sendable {
  case address(WebURL)
  case wrong(message: String, hint: String)

  /// Parses HOST:PORT.
  public init(_ text: String) {
    let port = text.lastIndex(of: ":").map { text[text.index(after: $0)...] } ?? ""
    guard UInt16(port) != nil, let url = WebURL("http://\(text)"), url.pathAndQuery == "/",
      url.fragment == nil
    else {
      self = .wrong(message: "must be HOST:PORT", hint: "such as 127.0.0.1:9099")
      return
    }
    // Emulators are used without TLS, so reject the hosts of real projects.
    let host = url.hostWithoutRoot
    guard !host.hasSuffix(".googleapis.com"), !host.hasSuffix(".firebaseapp.com") else {
      self = .wrong(
        message: "is a host of real projects, which plain http must not reach",
        hint: "use the target firebase, which uses https")
      return
    }
    self = .address(url)
  }
}
