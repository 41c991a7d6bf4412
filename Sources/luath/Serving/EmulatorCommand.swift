import Emulator
import Glibc
import HTTP
import Host
import System

/// `luath emulator`: serves the emulator until Ctrl-C.
enum EmulatorCommand {
  static let description = CommandDescription(
    name: "emulator", summary: "Runs the emulated project as a server, until Ctrl-C.", operands: "",
    options: [
      Option(
        "port", "PORT", "the port to listen on; 0 takes a free one",
        default: "emulators.auth.port of firebase.json, or else 9099"),
      ServedEmulator.hostOption,
      Option("quiet", nil, "do not print the e-mails and SMS that would have been sent"),
      Option(
        "ready-file", "FILE",
        "write HOST:PORT to this file when the emulator is ready, and remove the file at the end",
        default: "none"),
      Option(
        "check", nil, "exit with 0 if an emulator responds at the port, and with 1 if none does"),
    ] + ServedEmulator.options + EmulatorSettings.options,
    examples: [
      "luath emulator", "luath emulator --port 9199 --rules production",
      "luath emulator --state accounts.db", "luath emulator --port 0 --ready-file emulator.txt",
    ],
    exits: [
      .ok: "Ctrl-C or SIGTERM ended it, which is its normal end",
      .failed: "with --check: no emulator responds",
      .notLoaded: "the project file, firebase.json, the state or the import cannot be read",
      .unavailable: "the port is in use, or the state, the log or the ready file cannot be written",
    ])

  @Sendable static func run(
    _ arguments: ParsedArguments, _ console: Console
  ) async throws(UsageError) -> ExitStatus {
    guard arguments.operands.isEmpty else {
      throw UsageError("luath emulator takes no operands")
    }
    let served = try ServedEmulator(arguments, console)
    let isQuiet = arguments.flags.contains("quiet")
    let readyFile = arguments.values["ready-file"].map(console.whole)
    if arguments.values["ready-file"] == "" { throw UsageError("--ready-file takes a file") }
    if arguments.flags.contains("check"), arguments.values["port"] == "0" {
      throw UsageError("--check needs the port of the emulator, not 0")
    }
    do throws(CommandFailure) {
      if arguments.flags.contains("check") { return try await check(served, console) }
      if let readyFile { try removeEarlier(readyFile) }
      let running = try await served.start(port: 9099) { emulator in
        guard !isQuiet else { return }
        await emulator.tellNotices { notice in
          // E-mail addresses and phone numbers in the notice come from clients of the emulator.
          let lines = notice.split(separator: "\n", omittingEmptySubsequences: false)
          console.offerOutput(lines.map { "\(String($0).printable)\n" }.joined())
        }
      }
      if let readyFile { try await write(running, to: readyFile) }
      defer { if let readyFile { unlink(readyFile) } }
      console.writeOutput(
        "serving \(running.project.configuration.id) on http://\(running.address)\n"
          + "its web page, with users, codes and requests: http://\(running.address)/\n"
          + "for other clients: export FIREBASE_AUTH_EMULATOR_HOST=\(running.address)\n"
          + "Ctrl-C ends it\n")
      await Interrupts.wait()
      try await running.close()
    } catch {
      return error.report(console)
    }
    return .code(.ok)
  }

  /// Whether an emulator that was started with the same options responds, for health checks of containers.
  private static func check(
    _ served: ServedEmulator, _ console: Console
  ) async throws(CommandFailure) -> ExitStatus {
    let address = try served.expectedAddress(standard: 9099)
    guard let url = WebURL("http://\(address)"),
      await TargetCheck.emulatorKind(at: url, within: .seconds(4)) != nil
    else {
      throw CommandFailure(
        .failed, "no emulator responds at \(address)", hint: "luath emulator starts one")
    }
    console.writeOutput("the emulator at \(address) responds\n")
    return .code(.ok)
  }

  /// Removes the ready file of an earlier run, which would be read as the address of this one; no other file.
  private static func removeEarlier(_ path: String) throws(CommandFailure) {
    guard let found = FileAccess(path: path) else { return }
    let bytes = found.isFile ? try? WholeFile.read(path, atMost: 1024) : nil
    let content = bytes.map { String(decoding: $0, as: UTF8.self) }
    let port = content?.split(separator: ":").last.flatMap { UInt16($0.dropLast()) }
    guard content?.isEmpty == true || content?.last == "\n" && port != nil else {
      throw CommandFailure(
        .usage, "\(path.printable) exists and is no ready file of an emulator",
        hint: "name another file with --ready-file: the emulator replaces and removes it")
    }
    unlink(path)
  }

  private static func write(
    _ running: ServedEmulator.Running, to path: String
  ) async throws(CommandFailure) {
    do throws(SystemError) {
      // Written whole, so that a reader never sees a part of the address.
      try AtomicFile.write(Array("\(running.address)\n".utf8), to: path, mode: 0o644)
    } catch {
      await running.abandon()
      throw CommandFailure(
        .unavailable, "cannot write the ready file \(path.printable): \(error.words)",
        hint: "check --ready-file")
    }
  }
}
