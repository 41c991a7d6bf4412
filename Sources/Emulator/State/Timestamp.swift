/// Points in time as RFC 3339 writes them.
enum Timestamp {
  /// `2026-01-31T12:00:00.000Z` for milliseconds since 1970.
  static func text(milliseconds: Int64) -> String {
    let seconds = milliseconds / 1000
    let days = seconds / 86_400
    let (year, month, day) = civil(days: days)
    let clock = seconds % 86_400
    return "\(pad(year, 4))-\(pad(month, 2))-\(pad(day, 2))T\(pad(clock / 3600, 2)):"
      + "\(pad(clock / 60 % 60, 2)):\(pad(clock % 60, 2)).\(pad(milliseconds % 1000, 3))Z"
  }

  /// The Gregorian date `days` after 1970-01-01, counting years from March so that leap days come last.
  private static func civil(days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let shifted = days + 719_468
    let era = shifted / 146_097
    let dayOfEra = shifted % 146_097
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
