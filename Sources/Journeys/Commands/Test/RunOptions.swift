import Host

enum RunOptions {
  static let options = [
    Option("jobs", "N", "run N files side by side; 1 when not given"),
    Option("timeout", "TIME", "stop a journey after this time; 60s when not given"),
    Option("memory", "SIZE", "stop a journey whose file takes more memory: 32M, 1G"),
    Option("retries", "N", "try a failed journey up to N times more; flaky when it passes then"),
    Option("fail-on-flaky", nil, "fail when a journey passed only after it was tried again"),
    Option("max-failures", "N", "begin no other journey when N have failed"),
    Option(
      "trace", "WHEN",
      "tell of exchanges and pages: all, on-failure (all of failed journeys) or off; when not"
        + " given, all where a report shows them, else the last before a failure",
      choices: ["all", "on-failure", "off"]),
    Option("dry-run", nil, "do everything but the journeys, which count as skipped"),
    Option(
      "seed", "NUMBER",
      "for everything random: --shuffle, the chances of --fault, math.random; 0 when not given"),
  ]

  static func settings(_ arguments: ParsedArguments) throws(UsageError) -> RunSettings {
    var settings = RunSettings()
    if let text = arguments.values["timeout"] {
      settings.timeout = try Quantity.time(text, "--timeout")
    }
    settings.jobs = try Quantity.count(arguments.values["jobs"], "--jobs", 1...256) ?? 1
    settings.retries = try Quantity.count(arguments.values["retries"], "--retries", 0...1000) ?? 0
    settings.maximumFailures = try Quantity.count(
      arguments.values["max-failures"], "--max-failures", 1...1_000_000)
    if let when = arguments.values["trace"] {
      guard let trace = TraceMode(rawValue: when), trace != .automatic else {
        throw UsageError("--trace takes all, on-failure or off, not '\(when.printable)'")
      }
      settings.trace = trace
    }
    settings.failsOnFlaky = arguments.flags.contains("fail-on-flaky")
    settings.isDry = arguments.flags.contains("dry-run")
    settings.seed = try ChoiceOptions.seed(arguments)
    return settings
  }
}
