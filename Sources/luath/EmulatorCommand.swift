import Emulator
import HTTP
import Host
import IdentityToolkit

/// `luath emulator`: serves the emulator until Ctrl-C.
enum EmulatorCommand {
  static let description = CommandDescription(
    name: "emulator", summary: "Runs the emulated project as a server, until Ctrl-C.", operands: "",
    options: [
      Option("port", "PORT", "the port to listen on; 0 takes a free one", default: "9099"),
      Option(
        "host", "ADDRESS", "the address to listen on; 0.0.0.0 lets other machines in",
        default: "127.0.0.1"),
      EmulatorSettings.rulesOption(unless: "compatible"),
      Option("quiet", nil, "do not print the e-mails and SMS that would have been sent"),
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
    ] + EmulatorState.options + EmulatorSettings.options,
    examples: [
      "luath emulator", "luath emulator --port 9199 --rules production",
      "luath emulator --state accounts.db",
    ],
    exits: [
      .ok: "Ctrl-C or SIGTERM ended it, which is its normal end",
      .notLoaded: "the project file, the state or the import cannot be read",
      .unavailable: "the port is in use, or the state cannot be written",
    ])

  @Sendable static func run(
    _ arguments: ParsedArguments, _ console: Console
  ) async throws(UsageError) -> ExitStatus {
    guard arguments.operands.isEmpty else {
      throw UsageError("luath emulator takes no operands")
    }
    let port = try Quantity.port(arguments.values["port"] ?? "9099", "--port")
    let host = HostOption.address(arguments.values["host"] ?? "127.0.0.1")
    let settings = try EmulatorSettings(arguments, rules: "compatible")
    let functions = try functionsOrigin(arguments.values["functions"])
    let state = try EmulatorState(arguments, console)
    let origins = try OriginOption.list("allow-origin", arguments)
    let servers = try OriginOption.list("allow-server", arguments)
    do throws(CommandFailure) {
      var project = try ProjectFile.find(arguments.values["project"], near: nil, console)
      project.configuration.allowedOrigins.formUnion(origins)
      project.configuration.allowedServers.formUnion(servers)
      let configuration = project.configuration
      let emulator = try made { () throws(HTTPError) in
        try settings.emulator(of: configuration)
      }
      if !arguments.flags.contains("quiet") {
        await emulator.tellNotices { notice in
          // E-mail addresses and phone numbers in the notice come from clients of the emulator.
          let lines = notice.split(separator: "\n", omittingEmptySubsequences: false)
          console.offerOutput(lines.map { "\(String($0).printable)\n" }.joined())
        }
      }
      if let functions { await emulator.tellFunctions(at: functions) }
      try await state.open(emulator)
      // Before the first request, so that an interrupt is always handled in an orderly way.
      Interrupts.prepare()
      let address: String
      do throws(HTTPError) {
        let listening = try await emulator.start(address: host, port: port)
        address = "\(Emulator.host(reaching: host)):\(listening)"
        if !HostOption.isLoopback(host) { console.writeError(HostOption.warning(host)) }
      } catch {
        throw await failure(error, host, port)
      }
      console.writeOutput(
        "serving \(project.configuration.id) on http://\(address)\n"
          + "its web page, with users, codes and requests: http://\(address)/\n"
          + "for other clients: export FIREBASE_AUTH_EMULATOR_HOST=\(address)\n"
          + "Ctrl-C ends it\n")
      await Interrupts.wait()
      try await state.close(emulator)
    } catch {
      return error.report(console)
    }
    return .code(.ok)
  }

  /// The error of a server that did not start; if an emulator uses the port, the hint names it.
  private static func failure(
    _ error: HTTPError, _ host: String, _ port: UInt16
  ) async -> CommandFailure {
    let address = "\(Emulator.host(reaching: host)):\(port)"
    guard error.code == .portInUse, let url = WebURL("http://\(address)"),
      let kind = await TargetCheck.emulatorKind(at: url, within: .seconds(2))
    else { return CommandFailure(error) }
    let name = kind == .luath ? "a luath emulator" : "Firebase's emulator"
    return CommandFailure(
      .unavailable, error.message,
      hint:
        "\(name) is listening there: use it with --target emulator:\(address), or start another one with "
        + "--port")
  }

  private static func made(
    _ body: () throws(HTTPError) -> Emulator
  ) throws(CommandFailure) -> Emulator {
    do throws(HTTPError) { return try body() } catch { throw CommandFailure(error) }
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
