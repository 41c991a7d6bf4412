import Emulator
import HTTP
import Host
import IdentityToolkit
import System

/// The emulator that `luath emulator` and `luath exec` serve, with the options that both have.
struct ServedEmulator: Sendable {
  static let hostOption = Option(
    "host", "ADDRESS", "the address to listen on; 0.0.0.0 lets other machines in",
    default: "emulators.auth.host of firebase.json, or else 127.0.0.1")
  static let logOption = Option(
    "log", "FILE", "append a line for each request to this file, without secrets",
    default: "no log")
  /// The options besides port and host.
  static let options =
    [
      EmulatorSettings.rulesOption(unless: "compatible"),
      Option(
        "functions", "ADDRESS",
        "HOST:PORT of the Functions emulator, which is called for each new and deleted account",
        default: "none"),
      Option(
        "allow-origin", "ORIGIN",
        "let web pages of another origin, such as https://app.example, use the controls; * allows all",
        default: "only pages of this machine", isRepeatable: true),
      Option(
        "allow-server", "ORIGIN",
        "let blocking functions and issuers be on another server; * allows all",
        default: "only servers of this machine", isRepeatable: true),
      Option(
        "project", "FILE", "the project file", default: "the nearest luath.lua, from this folder up"
      ),
      logOption,
    ] + EmulatorState.options

  private let port: UInt16?
  private let host: String?
  private let settings: EmulatorSettings
  private let functions: WebURL?
  private let state: EmulatorState
  private let origins: OriginList
  private let servers: OriginList
  private let log: String?
  private let projectFile: String?
  private let console: Console

  /// Reads the options; throws for values that are not valid.
  ///
  /// - Parameter seed: The name of the option with the seed of `--fault`.
  init(
    _ arguments: ParsedArguments, _ console: Console, seed: String = "seed"
  ) throws(UsageError) {
    port = try arguments.values["port"].map { text throws(UsageError) in
      try Quantity.port(text, "--port")
    }
    host = arguments.values["host"]
    settings = try EmulatorSettings(arguments, rules: "compatible", seed: seed)
    functions = try Self.functionsOrigin(arguments.values["functions"])
    state = try EmulatorState(arguments, console)
    origins = try OriginOption.list("allow-origin", arguments)
    servers = try OriginOption.list("allow-server", arguments)
    log = arguments.values["log"]
    if log == "" { throw UsageError("--log takes a file") }
    projectFile = arguments.values["project"]
    self.console = console
  }

  /// An emulator that serves requests.
  struct Running: Sendable {
    let emulator: Emulator
    let project: ProjectFile
    /// HOST:PORT, by which programs on this machine reach it.
    let address: String
    /// The target of scripts that run against it.
    let place: ResolvedTarget
    fileprivate let state: EmulatorState
    fileprivate let log: ExchangeLog?

    /// Ends it, and writes the export.
    func close() async throws(CommandFailure) {
      defer { log?.close() }
      try await state.close(emulator)
    }

    /// Ends it without an export.
    func abandon() async {
      await emulator.stop()
      log?.close()
    }
  }

  /// Loads the state and starts to listen.
  ///
  /// - Parameters:
  ///   - standard: The port if neither the options nor luath.lua nor firebase.json have one.
  ///   - prepare: Called before the emulator listens.
  func start(
    port standard: UInt16, prepare: (Emulator) async -> Void = { _ in }
  ) async throws(CommandFailure) -> Running {
    let files = try FirebaseFiles.find(console)
    var project = files.naming(try ProjectFile.find(projectFile, near: nil, console))
    project.configuration.allowedOrigins.formUnion(origins)
    project.configuration.allowedServers.formUnion(servers)
    let emulator: Emulator
    do throws(HTTPError) {
      emulator = try settings.emulator(
        of: project.configuration,
        keys: SigningKeys(cache: KeyCache(environment: console.environment)))
    } catch {
      throw CommandFailure(error)
    }
    let log = try log.map { path throws(CommandFailure) in try ExchangeLog(path, console) }
    if let log { await emulator.logExchanges { log.write($0) } }
    if let functions { await emulator.tellFunctions(at: functions) }
    await prepare(emulator)
    do throws(CommandFailure) {
      try await state.open(emulator)
      // Before the first request, so that an interrupt is always handled in an orderly way.
      Interrupts.prepare()
      let port = port ?? project.configuration.port ?? files.port ?? standard
      let address = try await listen(
        emulator, files, port, source: source(of: port, project, files),
        isCommand: standard == 0)
      guard let url = WebURL("http://\(address)") else {
        preconditionFailure("the address is that of a server")
      }
      return Running(
        emulator: emulator, project: project, address: address,
        place: project.place(on: emulator, at: url), state: state, log: log)
    } catch {
      await emulator.stop()
      log?.close()
      throw error
    }
  }

  /// HOST:PORT of an emulator that was started with the same options, luath.lua and firebase.json.
  ///
  /// - Parameter standard: The port if neither has one.
  func expectedAddress(standard: UInt16) throws(CommandFailure) -> String {
    let files = try FirebaseFiles.find(console)
    let project = try ProjectFile.find(projectFile, near: nil, console)
    let host = HostOption.address(host ?? files.host ?? "127.0.0.1")
    let port = port ?? project.configuration.port ?? files.port ?? standard
    return "\(Emulator.host(reaching: host)):\(port)"
  }

  /// The setting that a port comes from; nil for the option and for the standard port.
  private func source(
    of port: UInt16, _ project: ProjectFile, _ files: FirebaseFiles
  ) -> String? {
    guard self.port == nil else { return nil }
    if project.configuration.port != nil { return project.portSetting }
    return files.port == nil ? nil : "firebase.json sets emulators.auth.port to \(port)"
  }

  private func listen(
    _ emulator: Emulator, _ files: FirebaseFiles, _ port: UInt16, source: String?, isCommand: Bool
  ) async throws(CommandFailure) -> String {
    let host = HostOption.address(host ?? files.host ?? "127.0.0.1")
    do throws(HTTPError) {
      let listening = try await emulator.start(address: host, port: port)
      if !HostOption.isLoopback(host) {
        console.writeError(
          HostOption.warning(host, source: self.host == nil ? .firebaseFile : .option))
      }
      return "\(Emulator.host(reaching: host)):\(listening)"
    } catch {
      throw await failure(error, host, port, source: source, isCommand: isCommand)
    }
  }

  /// The error of a server that did not start; if an emulator uses the port, the hint names it.
  private func failure(
    _ error: HTTPError, _ host: String, _ port: UInt16, source: String?, isCommand: Bool
  ) async -> CommandFailure {
    let address = "\(Emulator.host(reaching: host)):\(port)"
    guard [.portInUse, .portReserved].contains(error.code), let url = WebURL("http://\(address)")
    else { return CommandFailure(error) }
    guard error.code == .portInUse,
      let kind = await TargetCheck.emulatorKind(at: url, within: .seconds(2))
    else {
      guard let source else { return CommandFailure(error) }
      return CommandFailure(
        .unavailable, error.message,
        hint: error.hint(
          forPortOf: source,
          "end the program that uses it, set another port, or take a free one with --port 0"))
    }
    let name = kind == .luath ? "a luath emulator" : "Firebase's emulator"
    return CommandFailure(
      .unavailable, error.message,
      hint: isCommand
        ? "\(name) is listening there: end it, or take a free port with --port 0"
        : "\(name) is listening there: use it with --target emulator:\(address), or start another one with "
          + "--port")
  }

  /// The origin of the Functions emulator; accepts an address without a scheme, as Firebase's tools print it.
  private static func functionsOrigin(_ text: String?) throws(UsageError) -> WebURL? {
    guard let text else { return nil }
    let isWhole = text.contains("://")
    guard let url = WebURL(isWhole ? text : "http://\(text)"), isWhole || text.contains(":") else {
      throw UsageError("--functions takes an address such as 127.0.0.1:5001, not '\(text)'")
    }
    return url
  }
}
