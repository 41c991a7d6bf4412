import Glibc

/// A point of CLOCK_MONOTONIC in nanoseconds, which no change of the wall clock moves.
struct MonotonicTime: Comparable {
  let nanoseconds: Int64

  static var now: MonotonicTime {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
    left.nanoseconds < right.nanoseconds
  }

  /// The point this long after, or the end of time when that is too far to count.
  func advanced(by duration: Duration) -> MonotonicTime {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
    return MonotonicTime(nanoseconds: overflow ? .max : sum)
  }

  func duration(to later: MonotonicTime) -> Duration {
    .nanoseconds(later.nanoseconds - nanoseconds)
  }
}

extension Duration {
  /// The length in nanoseconds, at most what fits.
  var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflow else { return seconds < 0 ? .min : .max }
    let (sum, overflows) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflows ? .max : sum
  }

  /// The length in milliseconds rounded up, between 1 and what libcurl's `long` takes.
  var wholeMilliseconds: Int {
    let (milliseconds, rest) = wholeNanoseconds.quotientAndRemainder(dividingBy: 1_000_000)
    return Int(min(max(milliseconds + (rest > 0 ? 1 : 0), 1), Int64(Int32.max)))
  }
}
