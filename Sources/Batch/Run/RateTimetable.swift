import Glibc
import Host

/// The user's limit of calls a second by the time of day: `50`, or `22:00-06:00=400,50`.
///
/// Rates are calls a second: 0 holds the run, infinity is no limit. Times are those of the machine's wall clock: a
/// window within an hour that the clock skips is left out, and one within an hour that it repeats applies twice.
struct RateTimetable: Sendable, Equatable {
  /// A part of each day; one that ends at or before its start goes on after midnight.
  struct Window: Sendable, Equatable {
    /// Minutes since midnight.
    let start: Int
    let end: Int
    let rate: Double

    func contains(_ minute: Int) -> Bool {
      start < end ? (start..<end).contains(minute) : minute >= start || minute < end
    }
  }

  /// A rate that applies for a time.
  struct Span: Sendable, Equatable {
    let seconds: Int
    let rate: Double
  }

  static let minutes = 24 * 60

  let windows: [Window]
  /// The rate outside of all windows.
  let otherwise: Double

  /// The same rate at all times.
  init(_ rate: Double) {
    windows = []
    otherwise = rate
  }

  /// Parses the value of `--rate`.
  init(_ text: String) throws(UsageError) {
    var windows: [Window] = []
    var otherwise: Double?
    for part in ParsedArguments.items(text) {
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let rate = Self.rate(String(sides[sides.count - 1]), inWindow: text != part) else {
        throw UsageError(
          "--rate takes calls a second from 0.01 to 1000000, not '\(part.printable)'",
          hint: Self.hint(String(sides[sides.count - 1]), isOnly: text == part))
      }
      if sides.count == 2 {
        windows.append(try Self.window(String(sides[0]), rate))
      } else if otherwise == nil {
        otherwise = rate
      } else {
        throw UsageError(
          "--rate has two rates without a time",
          hint: "write one for all other times: --rate 22:00-06:00=400,50")
      }
    }
    try self.init(windows, otherwise)
  }

  private init(_ windows: [Window], _ otherwise: Double?) throws(UsageError) {
    var isFull = true
    for minute in 0..<Self.minutes {
      let found = windows.filter { $0.contains(minute) }
      if found.count > 1 {
        throw UsageError(
          "--rate has two rates at \(Self.clock(minute))", hint: "let no two windows overlap")
      }
      if found.isEmpty { isFull = false }
    }
    if isFull, otherwise != nil {
      throw UsageError(
        "the windows of --rate fill the day, so the rate without a time never applies",
        hint: "leave it out")
    }
    guard let otherwise = otherwise ?? (isFull ? 0 : nil) else {
      throw UsageError(
        "--rate has no rate for the times outside of its windows",
        hint: "add one: --rate 22:00-06:00=400,50; or off for no limit, 0 to hold the run then")
    }
    self.windows = windows
    self.otherwise = otherwise
  }

  /// What to write instead of a rate that is refused.
  private static func hint(_ rate: String, isOnly: Bool) -> String {
    switch rate {
    case "0" where isOnly:
      "the run would never go on; 0 holds it at some times only: --rate 22:00-06:00=400,0"
    case "off" where isOnly: "for no limit at any time, leave --rate out"
    default: "by the time of day: --rate 22:00-06:00=400,50"
    }
  }

  private static func rate(_ text: String, inWindow: Bool) -> Double? {
    // A run that is held at all times makes no sense.
    if inWindow, text == "0" { return 0 }
    guard case .rate(let rate)? = BatchControl("rate=\(text)") else { return nil }
    return inWindow ? rate ?? .infinity : rate
  }

  private static func window(_ text: String, _ rate: Double) throws(UsageError) -> Window {
    let ends = text.split(separator: "-", omittingEmptySubsequences: false)
    let times = ends.compactMap { minute(String($0)) }
    guard times.count == 2, ends.count == 2, times[0] < minutes else {
      throw UsageError(
        "'\(text.printable)' of --rate is no time of day", hint: "write 22:00-06:00=400")
    }
    let end = times[0] == 0 ? times[1] : times[1] % minutes
    guard times[0] != end else {
      throw UsageError(
        "the window \(text.printable) of --rate has no end", hint: "for all day, leave it out")
    }
    return Window(start: times[0], end: end, rate: rate)
  }

  /// Parses `HH:MM`, up to 24:00.
  private static func minute(_ text: String) -> Int? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].utf8.count == 2, (1...2).contains(parts[0].utf8.count),
      parts.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
      let hour = Int(parts[0]), let minute = Int(parts[1]), minute < 60,
      hour * 60 + minute <= minutes
    else { return nil }
    return hour * 60 + minute
  }

  private static func clock(_ minute: Int) -> String {
    let parts = [minute / 60, minute % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
    return parts.joined(separator: ":")
  }

  /// Whether the rate never changes.
  var isConstant: Bool { windows.isEmpty }

  /// The lowest rate that does not hold the run.
  var lowest: Double { (windows.map(\.rate) + [otherwise]).filter { $0 > 0 }.min() ?? .infinity }

  /// The rate at a second of the day.
  func rate(at second: Int) -> Double {
    windows.first { $0.contains(second / 60) }?.rate ?? otherwise
  }

  /// The rates of the next 24 hours.
  func spans(from second: Int) -> [Span] {
    guard !isConstant else { return [] }
    let changes = Set(
      windows.flatMap { [$0.start * 60, $0.end * 60] }.map {
        let after = ($0 - second + 86_400) % 86_400
        return after == 0 ? 86_400 : after
      }
    ).sorted()
    var spans: [Span] = []
    var start = 0
    for end in changes + (changes.last == 86_400 ? [] : [86_400]) {
      spans.append(Span(seconds: end - start, rate: rate(at: (second + start) % 86_400)))
      start = end
    }
    return spans
  }

  /// The second of the day of the machine's wall clock.
  @Sendable static func now() -> Int {
    var moment = time(nil)
    var parts = tm()
    // localtime_r need not read TZ itself.
    tzset()
    localtime_r(&moment, &parts)
    return Int(parts.tm_hour) * 3600 + Int(parts.tm_min) * 60 + min(Int(parts.tm_sec), 59)
  }
}
