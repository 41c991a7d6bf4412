/// Adds up what virtual users do, in memory that does not grow with the number of requests.
struct LoadTally: Sendable {
  /// More than any journey has steps; names made from data must not fill the memory.
  private static let mostSubjects = 1000
  private static let mostErrors = 100

  private(set) var figures: [LoadSubject: LoadFigures] = [:]
  /// The subjects by the time they were first seen.
  private(set) var order: [LoadSubject] = []
  /// Failures by their words, with how often each came.
  private(set) var errors: [String: UInt64] = [:]
  /// All journeys, and all requests.
  private(set) var journeys = LoadFigures()
  private(set) var requests = LoadFigures()
  private(set) var begun = 0
  /// The seconds so far; kept as numbers as soon as nothing can change them.
  private(set) var seconds: [LoadSecond] = []
  private var active = 0

  /// Notes that a virtual user begins a journey.
  mutating func begin(at now: Double) {
    begun += 1
    active += 1
    note(now) { $0.begun += 1 }
  }

  /// Notes the end of a journey.
  ///
  /// - Parameters:
  ///   - now: Milliseconds since the start of the run.
  ///   - duration: Milliseconds since the journey began.
  ///   - lateness: Milliseconds by which it began late.
  ///   - error: What it failed with.
  mutating func end(
    _ name: String, at now: Double, duration: Double, lateness: Double, error: String?
  ) {
    active -= 1
    let hasFailed = error != nil
    journeys.record(duration: duration, lateness: lateness, failed: hasFailed)
    add(LoadSubject(.journey, name), duration, lateness, hasFailed)
    note(now) { second in
      second.ended += 1
      if hasFailed { second.failed += 1 }
    }
    if let error { note(error) }
  }

  /// Notes a failure at the end of a file, which counts as that of a journey.
  mutating func end(failedWith error: String) {
    journeys.fail()
    note(error)
  }

  private mutating func note(_ error: String) {
    let isKnown = errors[error] != nil || errors.count < Self.mostErrors
    errors[isKnown ? error : "other failures", default: 0] += 1
  }

  /// Notes journeys that were due and never began, and waited so many milliseconds for it.
  mutating func drop(_ number: UInt64, waited: Double) {
    journeys.drop(number, waited: waited)
  }

  /// Notes that a journey was broken off.
  mutating func abandon() { active -= 1 }

  /// Notes the end of a step.
  mutating func step(
    _ name: String, of journey: String, duration: Double, lateness: Double, failed: Bool
  ) {
    add(LoadSubject(.step, name, journey: journey), duration, lateness, failed)
  }

  /// Notes the end of a request.
  mutating func request(
    _ endpoint: String, at now: Double, duration: Double, lateness: Double, failed: Bool
  ) {
    requests.record(duration: duration, lateness: lateness, failed: failed)
    add(LoadSubject(.endpoint, endpoint), duration, lateness, failed)
    note(now) { second in
      second.requests += 1
      if failed { second.failedRequests += 1 }
      second.histogram.record(duration + lateness)
    }
  }

  private mutating func add(
    _ subject: LoadSubject, _ duration: Double, _ lateness: Double, _ failed: Bool
  ) {
    var subject = subject
    if figures[subject] == nil {
      if order.count >= Self.mostSubjects { subject = LoadSubject(subject.kind, "others") }
      if figures[subject] == nil { order.append(subject) }
    }
    figures[subject, default: LoadFigures()]
      .record(duration: duration, lateness: lateness, failed: failed)
  }

  private mutating func note(_ now: Double, _ change: (inout LoadSecond) -> Void) {
    let number = max(0, Int(now / 1000))
    while seconds.count <= number {
      // Nobody is later than this: what ends is noted at once.
      if seconds.count >= 2 { seconds[seconds.count - 2].close() }
      seconds.append(LoadSecond(second: seconds.count))
    }
    change(&seconds[number])
    seconds[number].active = active
  }
}
