import Glibc

/// A time of CLOCK_MONOTONIC in nanoseconds, independent of the wall clock.
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

  /// Returns a later time; the maximum on overflow.
  func advanced(by duration: Duration) -> MonotonicTime {
    let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
    return MonotonicTime(nanoseconds: overflow ? .max : sum)
  }

  func duration(to later: MonotonicTime) -> Duration {
    .nanoseconds(later.nanoseconds - nanoseconds)
  }
}

extension Duration {
  /// The duration in nanoseconds, clamped to the range of `Int64`.
  var wholeNanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    guard !overflow else { return seconds < 0 ? .min : .max }
    let (sum, overflows) = scaled.addingReportingOverflow(attoseconds / 1_000_000_000)
    return overflows ? .max : sum
  }

  /// The duration in milliseconds, rounded up, from 1 to the maximum of libcurl's `long`.
  var wholeMilliseconds: Int {
    let (milliseconds, rest) = wholeNanoseconds.quotientAndRemainder(dividingBy: 1_000_000)
    return Int(min(max(milliseconds + (rest > 0 ? 1 : 0), 1), Int64(Int32.max)))
  }
}
