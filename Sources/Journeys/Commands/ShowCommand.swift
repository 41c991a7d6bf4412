import Host

/// `luath show`: opens the event files of a finished run in the live view.
enum ShowCommand {
  static let description = CommandDescription(
    name: "show", summary: "Shows a finished run in a web page, from its event files.",
    operands: "EVENTS...", options: [LiveOptions.showPort],
    examples: [
      "luath test --report json:events.ndjson; luath show events.ndjson",
      "luath show --port 8080 shard-1.ndjson shard-2.ndjson",
    ],
    note:
      "EVENTS is the file of a run that luath test --report json:FILE has written, or the files of the run's shards.",
    exits: [
      .ok: "Ctrl-C or SIGTERM ended it, which is its normal end",
      .notLoaded: "a file has no events, or belongs to another run",
      .unavailable: "a file cannot be read, or the port is in use",
    ])

  @Sendable static func run(
    _ arguments: ParsedArguments, _ console: Console
  ) async throws(UsageError) -> ExitStatus {
    guard !arguments.operands.isEmpty else {
      throw UsageError(
        "luath show needs event files", hint: "luath test --report json:FILE writes one")
    }
    let port = try Quantity.port(arguments.values["port"] ?? "0", "--port")
    do throws(CommandFailure) {
      try await serve(try ReportCommand.events(ofRun: arguments.operands, console), port, console)
      return .code(.ok)
    } catch {
      return error.report(console)
    }
  }

  private static func serve(
    _ events: [RunEvent], _ port: UInt16, _ console: Console
  ) async throws(CommandFailure) {
    Interrupts.prepare()
    let log = LiveLog()
    for event in events { log.add(event) }
    let server = try await LiveServer.start(
      port: port, title: "luath show", log, LiveControl(log, isFinished: true), KeptProjects(log))
    server.announce(console)
    await Interrupts.wait()
    server.stop()
  }
}
