import HTTP
import Host
import IdentityToolkit
import System

/// `luath check`: finds mistakes in scripts without running them.
enum CheckCommand {
  static let description = CommandDescription(
    name: "check",
    summary: "Finds names that nothing defines and other mistakes, without running anything.",
    operands: "FILE...",
    options: [],
    examples: ["luath check main.lua", "luath check journeys/*.lua"],
    note:
      "luath run and luath test check each file in the same way when they load it, except for calls. "
      + "A name is defined if the file assigns it, a file that it requires assigns it, or luath has it. "
      + "A call is wrong if luath has no such member, if it needs a colon, or if it takes no callback.",
    exits: [.ok: "no file has a mistake", .notLoaded: "a file has a mistake or cannot be read"])

  @Sendable static func run(
    _ arguments: ParsedArguments, _ console: Console
  ) async throws(UsageError) -> ExitStatus {
    guard !arguments.operands.isEmpty else {
      throw UsageError("luath check needs files: luath check FILE...")
    }
    let loop: EventLoop
    do throws(HTTPError) {
      loop = try EventLoop(name: "check")
      try loop.start()
    } catch {
      return CommandFailure(error).report(console)
    }
    defer {
      loop.stop()
      loop.join()
    }
    var isGood = true
    for path in arguments.operands {
      let text: [UInt8]
      switch console.read(path) {
      case .success(let content): text = content
      case .failure(let problem):
        console.report(
          "cannot read the script \(path.isEmpty ? "''" : path.printable): \(problem.words)",
          hint: "check the path; it starts from \(console.folder)")
        isGood = false
        continue
      }
      let script = Script(text: text, name: path, folder: path.folder)
      guard let mistake = await mistake(in: script, on: loop, console) else { continue }
      let secrets = RunSecrets()
      secrets.hide(source: text)
      _ = FailureReport(script, console, hiding: secrets).status(
        of: .notLoaded(mistake), timeout: nil)
      isGood = false
    }
    return .code(isGood ? .ok : .notLoaded)
  }

  /// What is wrong in a script, with the globals of journeys and specs; nil if nothing is.
  private static func mistake(
    in script: Script, on loop: EventLoop, _ console: Console
  ) async -> ScriptFailure? {
    let target = Target(projectID: "demo", apiKey: Secret("none"), backend: .production)
    let context = ScriptContext(target: target, environment: console.environment)
    return await LoopActor(loop).run { actor in
      let interpreter = Interpreter(context: context, actor: actor)
      defer { interpreter.close() }
      _ = await interpreter.call("luath.journey.engine", "install")
      return interpreter.mistake(in: script)
    }
  }
}
