import HTTP
import System

/// The figures of one agent of a load run, as it sends them to the others.
///
/// They are those since the start of the run, so that a lost or repeated message changes nothing. Only the seconds of the
/// timeline, which do not change once they are over, are sent by themselves.
struct AgentFigures: Sendable {
  var tally = LoadTally()
  var users = 0
  /// Milliseconds from the end of the warm-up until the last journey had ended.
  var duration = 0.0
  /// When they were taken, in milliseconds since the start of the run.
  var at = 0.0
  /// Journeys that the agent began although another one had taken them over.
  var begunTwice = 0

  /// The figures without the seconds.
  var encoded: [UInt8] {
    let json: JSON = [
      "users": .integer(Int64(users)), "duration": .number(duration), "at": .number(at),
      "begunTwice": .integer(Int64(begunTwice)), "tally": tally.part,
    ]
    return json.encodedBytes()
  }

  init() {}

  init(
    _ tally: LoadTally, users: Int, duration: Double, at: Double, begunTwice: Int
  ) {
    self.tally = tally
    self.users = users
    self.duration = duration
    self.at = at
    self.begunTwice = begunTwice
  }

  /// Reads the figures; nil if they are damaged.
  init?(_ bytes: [UInt8], seconds: [[UInt8]]) {
    guard let json = try? JSON.parse(bytes), let users = json["users"]?.integer,
      let duration = json["duration"]?.number, let at = json["at"]?.number,
      let begunTwice = json["begunTwice"]?.integer, let part = json["tally"],
      let tally = LoadTally(part: part, seconds: seconds.compactMap { try? JSON.parse($0) })
    else { return nil }
    self.init(
      tally, users: Int(users), duration: duration, at: at, begunTwice: Int(begunTwice))
  }
}

extension LoadTally {
  /// The counts as JSON without the seconds.
  fileprivate var part: JSON {
    [
      "subjects": .array(
        order.map { subject in
          ["subject": subject.json, "figures": (figures[subject] ?? LoadFigures()).part]
        }),
      "errors": errors.part,
      "failures": .array(
        failures.map { ["subject": $0.key.json, "counts": $0.value.part] }),
      "ends": .object(JSONObject(ends.map { ($0.key, $0.value.part) })),
      "journeys": journeys.part, "startDelay": startDelay.part, "requests": requests.part,
      "phases": .object(JSONObject(phases.map { ($0.key.rawValue, $0.value.part) })),
      "begun": .integer(Int64(begun)), "interrupted": .integer(Int64(interrupted)),
      "active": .integer(Int64(active)),
    ]
  }

  fileprivate init?(part: JSON, seconds: [JSON]) {
    self.init()
    guard let journeys = LoadFigures(part: part["journeys"]),
      let startDelay = LoadFigures(part: part["startDelay"]),
      let requests = LoadFigures(part: part["requests"])
    else { return nil }
    (self.journeys, self.startDelay, self.requests) = (journeys, startDelay, requests)
    for item in part["subjects"]?.array ?? [] {
      guard let subject = LoadSubject(json: item["subject"]),
        let figures = LoadFigures(part: item["figures"])
      else { return nil }
      order.append(subject)
      self.figures[subject] = figures
    }
    errors.add(part["errors"])
    for item in part["failures"]?.array ?? [] {
      guard let subject = LoadSubject(json: item["subject"]) else { return nil }
      failures[subject, default: FailureCounts(mostMessages: 10)].add(item["counts"])
    }
    for (file, counts) in part["ends"]?.object?.entries ?? [] {
      ends[file, default: FailureCounts(mostMessages: 10)].add(counts)
    }
    for (name, json) in part["phases"]?.object?.entries ?? [] {
      guard let phase = LoadPhase(rawValue: name), let figures = LoadFigures(part: json) else {
        return nil
      }
      phases[phase] = figures
    }
    begun = part["begun"]?.integer.map(Int.init) ?? 0
    interrupted = part["interrupted"]?.integer.map(Int.init) ?? 0
    active = part["active"]?.integer.map(Int.init) ?? 0
    for json in seconds {
      guard let second = LoadSecond(part: json) else { return nil }
      while self.seconds.count < second.second {
        self.seconds.append(LoadSecond(second: self.seconds.count))
      }
      self.seconds.append(second)
    }
  }
}

extension LoadSecond {
  /// The counts as JSON, with the histogram.
  var part: JSON {
    [
      "second": .integer(Int64(second)), "begun": .integer(Int64(begun)),
      "ended": .integer(Int64(ended)), "failed": .integer(Int64(failed)),
      "requests": .integer(Int64(requests)), "failedRequests": .integer(Int64(failedRequests)),
      "active": .integer(Int64(active)), "latency": wholeHistogram.part,
    ]
  }

  fileprivate init?(part: JSON) {
    guard let second = part["second"]?.integer, let histogram = Histogram(part: part["latency"])
    else { return nil }
    self.init(second: Int(second))
    func count(_ name: String) -> Int { part[name]?.integer.map(Int.init) ?? 0 }
    (begun, ended, failed) = (count("begun"), count("ended"), count("failed"))
    (requests, failedRequests) = (count("requests"), count("failedRequests"))
    active = count("active")
    close(with: histogram)
  }
}

extension LoadFigures {
  fileprivate var part: JSON {
    var json: JSONObject = ["latency": latency.part]
    if failed > 0 { json["failed"] = .integer(Int64(failed)) }
    if dropped > 0 { json["dropped"] = .integer(Int64(dropped)) }
    // Without lateness, both are the same.
    if service != latency { json["service"] = service.part }
    return .object(json)
  }

  fileprivate init?(part: JSON?) {
    guard let part, let latency = Histogram(part: part["latency"]) else { return nil }
    var service = latency
    if let other = part["service"] {
      guard let histogram = Histogram(part: other) else { return nil }
      service = histogram
    }
    self.init(
      latency, service, failed: UInt64(part["failed"]?.integer ?? 0),
      dropped: UInt64(part["dropped"]?.integer ?? 0))
  }
}

extension Histogram {
  /// The histogram in HdrHistogram's encoding V2, with the exact sum and extremes; null when it is empty.
  var part: JSON {
    guard count > 0 else { return .null }
    return [
      "hdr": .string(Base64.encode(encoding)), "min": .number(shortest), "max": .number(longest),
      "sum": .number(sum),
    ]
  }

  init?(part: JSON?) {
    guard let part else { return nil }
    self.init()
    if part.isNull { return }
    guard let text = part["hdr"]?.string, let bytes = Base64.decode(text),
      let shortest = part["min"]?.number, let longest = part["max"]?.number,
      let sum = part["sum"]?.number,
      let histogram = Histogram(
        encoding: bytes, shortest: shortest, longest: longest, sum: sum)
    else { return nil }
    self = histogram
  }
}

extension FailureCounts {
  fileprivate var part: JSON {
    .object(JSONObject(sorted.map { ($0.key, .integer(Int64($0.value))) }))
  }

  fileprivate mutating func add(_ part: JSON?) {
    for (message, count) in part?.object?.entries ?? [] {
      add(message, times: UInt64(max(0, count.integer ?? 0)))
    }
  }
}

extension LoadSubject {
  fileprivate var json: JSON {
    var json: JSONObject = ["kind": .string(kind.rawValue), "name": .string(name)]
    json["journey"] = journey.map(JSON.string)
    json["file"] = file.map(JSON.string)
    json["line"] = line.map { .integer(Int64($0)) }
    return .object(json)
  }

  fileprivate init?(json: JSON?) {
    guard let json, let kind = json["kind"]?.string.flatMap(Kind.init),
      let name = json["name"]?.string
    else { return nil }
    self.init(
      kind, name, journey: json["journey"]?.string, file: json["file"]?.string,
      line: json["line"]?.integer.map(Int.init))
  }
}
