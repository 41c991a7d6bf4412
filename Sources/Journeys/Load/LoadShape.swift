/// How the number of users, or of journeys due per second, changes during a run: linear ramps between levels.
///
/// Times are in milliseconds since the start of the run.
struct LoadShape: Sendable, Equatable {
  /// A ramp from the level before it to another one.
  struct Stage: Sendable, Equatable {
    /// Milliseconds; 0 for a jump.
    let duration: Double
    let target: Double
  }

  private struct Ramp: Equatable {
    let began: Double
    let duration: Double
    let first: Double
    let last: Double
    /// The journeys that are due before it, if the levels are journeys per second.
    let before: Double

    /// The journeys that are due in it.
    var area: Double { duration / 1000 * (first + last) / 2 }
    /// The change of the level per second.
    var slope: Double { (last - first) / (duration / 1000) }
  }

  private let ramps: [Ramp]
  /// The length of all stages.
  let duration: Double
  /// The highest level.
  let most: Double

  /// - Parameter start: The level at the start.
  init(from start: Double, _ stages: [Stage]) {
    var ramps: [Ramp] = []
    var (level, time, due) = (start, 0.0, 0.0)
    for stage in stages {
      if stage.duration > 0 {
        let ramp = Ramp(
          began: time, duration: stage.duration, first: level, last: stage.target, before: due)
        ramps.append(ramp)
        time += ramp.duration
        due += ramp.area
      }
      level = stage.target
    }
    self.ramps = ramps
    duration = time
    most = ramps.reduce(0) { max($0, $1.first, $1.last) }
  }

  /// The same level all the time.
  init(constant level: Double, for duration: Double) {
    self.init(from: level, [Stage(duration: duration, target: level)])
  }

  // MARK: Journeys per second

  /// The number of journeys in all.
  var count: Int {
    // The last one is due before the end, not at it. Subtracting 1e-9 keeps rounding errors from adding one.
    guard let last = ramps.last else { return 0 }
    return max(0, Int((last.before + last.area - 1e-9).rounded(.up)))
  }

  /// Returns when a journey is due; nil after the last one.
  ///
  /// Computed from the index, so that rounding errors do not add up.
  func due(_ index: Int) -> Double? {
    for ramp in ramps {
      let rest = Double(index) - ramp.before
      guard rest < ramp.area - 1e-9 else { continue }
      // The solution of `first * x + slope * x² / 2 = rest` that loses no digits.
      let root = max(0, ramp.first * ramp.first + 2 * ramp.slope * rest).squareRoot()
      let seconds = rest > 0 ? 2 * rest / (ramp.first + root) : 0
      return ramp.began + min(seconds * 1000, ramp.duration)
    }
    return nil
  }

  /// Returns how many journeys are due before a time.
  func count(before time: Double) -> Int {
    guard let ramp = ramps.last(where: { $0.began < time }) else { return 0 }
    let seconds = min(time - ramp.began, ramp.duration) / 1000
    let due = ramp.before + ramp.first * seconds + ramp.slope * seconds * seconds / 2
    return min(count, max(0, Int((due - 1e-9).rounded(.up))))
  }

  // MARK: Users

  /// Returns when a user may next begin a journey: when there are so many users, at this time or later.
  ///
  /// - Parameter user: The number of the user, from 1.
  func next(for user: Int, at time: Double) -> Double? {
    // The number of users is the level, rounded.
    let level = Double(user) - 0.5
    for ramp in ramps where time < ramp.began + ramp.duration {
      let from = max(time, ramp.began)
      if ramp.first + ramp.slope * (from - ramp.began) / 1000 >= level { return from }
      guard ramp.last >= level else { continue }
      return max(from, ramp.began + (level - ramp.first) / ramp.slope * 1000)
    }
    return nil
  }
}
