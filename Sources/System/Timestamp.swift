import Glibc

/// Converts times to and from RFC 3339.
public enum Timestamp {
  /// The machine's time, in milliseconds since 1970.
  public static var now: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// Formats milliseconds since 1970, which may be negative, as `2026-01-31T12:00:00.000Z`.
  ///
  /// RFC 3339 supports the years 0000 to 9999 only; times outside are clamped.
  public static func text(milliseconds: Int64) -> String {
    let milliseconds = min(max(milliseconds, earliest), latest)
    // Rounded down, so that remainders are never negative.
    let (seconds, thousandths) = milliseconds.flooredQuotientAndRemainder(by: 1000)
    let (days, clock) = seconds.flooredQuotientAndRemainder(by: 86_400)
    let (year, month, day) = civil(days: days)
    return "\(pad(year, 4))-\(pad(month, 2))-\(pad(day, 2))T\(pad(clock / 3600, 2)):"
      + "\(pad(clock / 60 % 60, 2)):\(pad(clock % 60, 2)).\(pad(thousandths, 3))Z"
  }

  /// 0000-01-01T00:00:00.000Z.
  private static let earliest: Int64 = -62_167_219_200_000
  /// 9999-12-31T23:59:59.999Z.
  private static let latest: Int64 = 253_402_300_799_999

  /// Parses a UTC time such as `2026-01-31T12:00:00.5Z` to seconds since 1970; nil when it is invalid.
  public static func seconds(of text: String) -> Int64? {
    let bytes = Array(text.utf8)
    guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z") else { return nil }
    func number(_ range: Range<Int>) -> Int64? {
      let digits = bytes[range]
      guard digits.allSatisfy({ $0.isDigit }) else {
        return nil
      }
      return digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
    }
    let signs: [Int: UInt8] = [
      4: UInt8(ascii: "-"), 7: UInt8(ascii: "-"), 10: UInt8(ascii: "T"), 13: UInt8(ascii: ":"),
      16: UInt8(ascii: ":"),
    ]
    guard signs.allSatisfy({ bytes[$0] == $1 }), let year = number(0..<4),
      let month = number(5..<7), let day = number(8..<10), let hour = number(11..<13),
      let minute = number(14..<16), let second = number(17..<19), (1...12).contains(month),
      (1...31).contains(day), hour < 24, minute < 60, second < 61
    else { return nil }
    // The inverse of `civil`: years begin in March.
    let shifted = month <= 2 ? year - 1 : year
    let marchMonth = month > 2 ? month - 3 : month + 9
    let dayOfYear = (153 * marchMonth + 2) / 5 + day - 1
    let (era, yearOfEra) = shifted.flooredQuotientAndRemainder(by: 400)
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    let days = era * 146_097 + dayOfEra - 719_468
    return days * 86_400 + hour * 3600 + minute * 60 + second
  }

  /// Parses such a time to milliseconds since 1970; further digits are dropped.
  public static func milliseconds(of text: String) -> Int64? {
    guard let seconds = seconds(of: text) else { return nil }
    guard let dot = text.utf8.firstIndex(of: UInt8(ascii: ".")) else { return seconds * 1000 }
    let digits = text.utf8[text.utf8.index(after: dot)...].dropLast().prefix(3)
    var thousandths: Int64 = 0
    for position in 0..<3 {
      let digit = digits.dropFirst(position).first ?? UInt8(ascii: "0")
      guard digit.isDigit else { return nil }
      thousandths = thousandths * 10 + Int64(digit - UInt8(ascii: "0"))
    }
    return seconds * 1000 + thousandths
  }

  /// Returns the Gregorian date `days` after 1970-01-01; years begin in March so that leap days come last.
  private static func civil(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = (days + 719_468).flooredQuotientAndRemainder(by: 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    return (
      yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month,
      dayOfYear - (153 * marchMonth + 2) / 5 + 1
    )
  }

  private static func pad(_ number: Int64, _ width: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}

extension Int64 {
  /// Returns the quotient rounded down, and the remainder with the sign of the divisor.
  fileprivate func flooredQuotientAndRemainder(
    by divisor: Int64
  ) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}
