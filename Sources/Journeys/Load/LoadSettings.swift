import Host
import System

/// A setting of load runs: an option of `luath load`, and a key of `journey.load` in a file.
struct LoadSetting: Sendable {
  /// The values of a setting.
  struct Given: Sendable {
    /// The values; several for a list.
    let texts: [String]
    /// How messages name the setting.
    let name: String
    /// The script that sets it; nil for the command line.
    var script: String?

    /// The only value.
    var text: String { texts.last ?? "" }
    /// The items of a list, in which commas separate as well.
    var items: [String] { texts.flatMap(ParsedArguments.items) }

    func time() throws(UsageError) -> Double {
      try Quantity.time(text, name) / .milliseconds(1)
    }
  }

  typealias Reading = @Sendable (inout LoadPlan, Given) throws(UsageError) -> Void

  let key: String
  let option: Option
  /// The keys of files that have no effect when the option is on the command line.
  let replaced: [String]
  let read: Reading

  init(_ key: String, _ option: Option, replaces: [String] = [], _ read: @escaping Reading) {
    self.key = key
    self.option = option
    replaced = [key] + replaces
    self.read = read
  }

  static let all: [LoadSetting] = [
    LoadSetting("vus", Option("vus", "N", "the number of virtual users", default: "1")) {
      plan, given throws(UsageError) in
      plan.users = try Quantity.count(given.text, given.name, 1...10_000)
    },
    LoadSetting(
      "duration",
      Option(
        "duration", "TIME", "start journeys for this time, such as 500ms, 30s or 5m",
        default: "30s"), replaces: ["stages"]
    ) { plan, given throws(UsageError) in plan.duration = try given.time() },
    LoadSetting(
      "rate",
      Option(
        "rate", "N",
        "start N journeys per second, whether or not earlier ones have ended: 50, 0.5; with stages, at the start",
        default: "each user starts a journey when the last one has ended")
    ) { plan, given throws(UsageError) in
      plan.rate = try rate(given.text, given.name, from: 0.001)
    },
    LoadSetting(
      "stages",
      Option(
        "stages", "TIME:N,...",
        "ramp to N users, or with 30s:100/s to N journeys per second, within each time: 30s:100,2m:100,30s:0",
        default: "the same all the time", isRepeatable: true), replaces: ["duration"]
    ) { plan, given throws(UsageError) in try readStages(&plan, given) },
    LoadSetting(
      "maxVUs",
      Option(
        "max-vus", "N", "with a rate, add users up to N when a journey is due and none is free",
        default: "the number of --vus")
    ) { plan, given throws(UsageError) in
      plan.mostUsers = try Quantity.count(given.text, given.name, 1...10_000)
    },
    LoadSetting(
      "thresholds",
      Option(
        "threshold", "LIMIT",
        "fail if this limit is missed: p95<300ms, errors<1%, rate>=50, 'STEP:p99<1s', with --compare "
          + "p95<=base+10%; separate several by commas", default: "none", isRepeatable: true)
    ) { plan, given throws(UsageError) in
      for text in given.items {
        guard !text.isEmpty else {
          throw UsageError("\(given.name) takes a limit, such as p95<300ms")
        }
        do throws(Problem) {
          plan.thresholds.append(try Threshold(text))
        } catch {
          throw UsageError("\(given.name): \(error.message)", hint: error.hint)
        }
      }
    },
    LoadSetting(
      "abortOnFail",
      Option(
        "abort-on-fail", "DELAY",
        "end the run when a limit is missed, but not before DELAY: 10s", default: "it goes on",
        isValueAttached: true)
    ) { plan, given throws(UsageError) in
      switch given.text {
      case "true": plan.abortDelay = 0
      case "false": plan.abortDelay = nil
      default: plan.abortDelay = try given.time()
      }
    },
    LoadSetting(
      "warmUp",
      Option(
        "warm-up", "TIME", "leave what begins in the first TIME, such as 10s, out of all figures",
        default: "none"
      )
    ) { plan, given throws(UsageError) in plan.warmUp = try given.time() },
    LoadSetting(
      "thinkTime",
      Option(
        "think-time", "TIME[..TIME]",
        "pause a user after each journey: 1s, or a random time of 500ms..2s", default: "none")
    ) { plan, given throws(UsageError) in
      let ends = given.text.split(separator: "..", omittingEmptySubsequences: false)
      var times: [Double] = []
      for end in ends {
        times.append(try Quantity.time(String(end), given.name) / .milliseconds(1))
      }
      guard let first = times.first, let last = times.last, times.count < 3, first <= last else {
        throw UsageError("\(given.name) takes a time such as 1s or 500ms..2s, not '\(given.text)'")
      }
      plan.thinkTime = first...last
    },
    LoadSetting(
      "data",
      Option(
        "data", "FILE", "the .csv, .json or .ndjson file whose rows the journeys get as j.row",
        default: "none")
    ) { plan, given throws(UsageError) in
      guard [".csv", ".json", ".ndjson"].contains(where: given.text.lowercased().hasSuffix) else {
        throw UsageError(
          "\(given.name) takes a .csv, .json or .ndjson file, not '\(given.text.printable)'")
      }
      plan.data = LoadPlan.Data(path: given.text, script: given.script)
    },
    LoadSetting(
      "gracefulStop",
      Option(
        "graceful-stop", "TIME",
        "at the end, interrupt the journeys that run longer than this: 30s",
        default: "they are completed")
    ) { plan, given throws(UsageError) in plan.grace = try given.time() },
  ]

  private static func rate(
    _ text: some StringProtocol, _ name: String, from least: Double
  ) throws(UsageError) -> Double {
    guard let rate = Double(text), rate.isFinite, rate >= least, rate <= 1_000_000 else {
      throw UsageError(
        "\(name) takes journeys a second from \(least == 0 ? "0" : "0.001") to 1000000, not '\(text)'"
      )
    }
    return rate
  }

  private static func readStages(
    _ plan: inout LoadPlan, _ given: Given
  ) throws(UsageError) {
    var kinds: Set<Bool> = []
    for item in given.items {
      let parts = item.split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count == 2 else {
        throw UsageError(
          "\(given.name) takes TIME:N for each stage, not '\(item.printable)'",
          hint: "such as 30s:100,2m:100,30s:0 for users, or 30s:100/s for journeys per second")
      }
      let isJump = parts[0] == "0" || parts[0] == "0s"
      let time =
        isJump ? 0 : try Quantity.time(String(parts[0]), given.name) / .milliseconds(1)
      let isRate = parts[1].hasSuffix("/s")
      kinds.insert(isRate)
      let target =
        isRate
        ? try rate(parts[1].dropLast(2), given.name, from: 0)
        : Double(try Quantity.count(String(parts[1]), given.name, 0...10_000) ?? 0)
      plan.stages.append(LoadShape.Stage(duration: time, target: target))
    }
    guard kinds.count == 1, let isRate = kinds.first else {
      throw UsageError(
        "\(given.name) has stages of users and of journeys per second",
        hint: "write all with /s, or none")
    }
    plan.hasRateStages = isRate
    plan.stagesText = given.items.joined(separator: ",")
    guard plan.shape.most > 0 else {
      throw UsageError(
        "\(given.name) has no load in any stage", hint: "each is TIME:N, such as 30s:100")
    }
  }
}

/// What a file sets with `journey.load`.
struct FileLoadSettings: Sendable {
  private let script: String
  /// The path and the line of the call.
  private let place: (file: String, line: Int)
  private let values: [String: [String]]

  /// Reads what the engine lists; nil without a call of `journey.load`.
  ///
  /// - Throws: `Failure` at the line of the call, when a setting is unknown or has a bad value.
  init?(_ json: JSON?, of script: Script) throws(Failure) {
    guard let values = json?["values"]?.object else { return nil }
    self.script = script.name
    place = (
      json?["file"]?.string ?? script.name, json?["line"]?.integer.map(Int.init) ?? 1
    )
    var texts: [String: [String]] = [:]
    for (key, value) in values.entries { texts[key] = value.array?.compactMap(\.string) }
    self.values = texts
    do throws(UsageError) {
      let known = LoadSetting.all.map(\.key)
      if let unknown = texts.keys.sorted().first(where: { !known.contains($0) }) {
        throw UsageError(
          "there is no setting '\(unknown.printable)'",
          hint: "there are \(known.joined(separator: ", "))")
      }
      var plan = LoadPlan()
      for setting in LoadSetting.all { try read(setting, into: &plan) }
      try plan.check(isPart: true) { $0 }
    } catch {
      throw Failure(
        kind: .error, message: "journey.load: \(error.message)", hint: error.hint,
        file: place.file, line: place.line)
    }
  }

  fileprivate var location: String { "\(place.file):\(place.line)" }

  fileprivate subscript(_ setting: LoadSetting) -> [String]? { values[setting.key] }

  fileprivate func read(_ setting: LoadSetting, into plan: inout LoadPlan) throws(UsageError) {
    guard let texts = values[setting.key] else { return }
    try setting.read(&plan, LoadSetting.Given(texts: texts, name: setting.key, script: script))
  }
}

extension LoadPlan {
  /// Merges the settings of the command line, which win, and of files.
  ///
  /// - Parameters:
  ///   - files: The files; nil before they are loaded.
  ///   - base: An earlier run, with which limits may compare.
  init(
    _ arguments: ParsedArguments, _ files: [PlannedFile]?, comparedWith base: LoadBase? = nil
  ) throws(UsageError) {
    self.init()
    self.base = base
    let typed = LoadSetting.all.filter {
      arguments.values[$0.option.name] != nil || arguments.flags.contains($0.option.name)
    }
    let replaced = Set(typed.flatMap(\.replaced))
    var names = Dictionary(
      uniqueKeysWithValues: LoadSetting.all.map { ($0.key, "--\($0.option.name)") })
    for setting in LoadSetting.all where !replaced.contains(setting.key) {
      let settings = (files ?? []).compactMap(\.load).filter { $0[setting] != nil }
      if let first = settings.first,
        let other = settings.first(where: { $0[setting] != first[setting] })
      {
        throw UsageError(
          "\(first.location) and \(other.location) differ in the setting \(setting.key)",
          hint: "choose the value with --\(setting.option.name)")
      }
      if let first = settings.first {
        try first.read(setting, into: &self)
        names[setting.key] = "\(setting.key) of \(first.location)"
      }
    }
    for setting in typed {
      let name = setting.option.name
      try setting.read(
        &self, LoadSetting.Given(texts: arguments.lists[name] ?? ["true"], name: "--\(name)"))
    }
    try check(isPart: files == nil) { names[$0] ?? $0 }
    guard let base else { return }
    for index in thresholds.indices {
      do throws(Problem) {
        thresholds[index] = try thresholds[index].resolved(base)
      } catch {
        throw UsageError(error.message, hint: error.hint)
      }
    }
  }
}
