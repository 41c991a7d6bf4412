/// Parses the date of a header as leniently as a cookie's Expires (RFC 6265, section 5.1.1).
public enum HTTPDate {
  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]

  /// Returns seconds since 1970; nil when day, month, year or time is missing or out of range.
  public static func seconds(parsing text: String) -> Int64? {
    var day: Int?
    var month: Int?
    var year: Int?
    var time: [Int]?
    let isDelimiter: (Character) -> Bool = { !$0.isLetter && !$0.isNumber && $0 != ":" }
    for token in text.split(whereSeparator: isDelimiter) {
      if time == nil, token.contains(":") {
        let parts = token.split(separator: ":").map { Int($0.prefix(while: \.isNumber)) }
        if parts.count == 3 { time = parts.compactMap { $0 } }
        continue
      }
      let digits = token.prefix(while: \.isNumber)
      if day == nil, digits.count == 1 || digits.count == 2 {
        day = Int(digits)
        continue
      }
      if month == nil, let index = months.firstIndex(of: token.prefix(3).lowercased()) {
        month = index + 1
        continue
      }
      if year == nil, digits.count == 2 || digits.count == 4, let number = Int(digits) {
        year = number < 70 ? number + 2000 : number < 100 ? number + 1900 : number
      }
    }
    guard let day, let month, let year, let time, time.count == 3, (1...31).contains(day),
      year >= 1601, (0...23).contains(time[0]), (0...59).contains(time[1]),
      (0...59).contains(time[2])
    else { return nil }
    return days(year: year, month: month, day: day) * 86_400
      + Int64(time[0] * 3600 + time[1] * 60 + time[2])
  }

  /// Days since 1970-01-01 in the Gregorian calendar, with years that begin in March.
  private static func days(year: Int, month: Int, day: Int) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let era = shifted / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return Int64(era * 146_097 + dayOfEra - 719_468)
  }
}
