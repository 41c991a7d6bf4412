internal import System

extension Account {
  /// Sets a time to the text an administrator wrote, which Firebase's emulator keeps even if it is not a number.
  ///
  /// A `validSince` that is not a number rejects every token; an empty one sets no limit.
  mutating func write(_ text: String, to time: Time) {
    let number = ScriptNumber.parse(text)
    switch time {
    case .createdAt: createdAt = number.flatMap { Int64(exactly: $0.rounded(.down)) }
    case .lastLoginAt: lastLoginAt = ScriptNumber.leadingInteger(of: text)
    case .validSince:
      validSince = text.isEmpty ? nil : Int64(exactly: (number ?? .infinity).rounded(.up)) ?? .max
    }
    let plain: Int64? =
      switch time {
      case .createdAt: createdAt
      case .lastLoginAt: lastLoginAt
      case .validSince: validSince
      }
    guard plain.map(String.init) != text else { return }
    if writtenTimes == nil { writtenTimes = JSONObject() }
    writtenTimes?[time.rawValue] = .string(text)
  }

  /// Drops the text written for a time, since the time is now a plain number.
  mutating func forgetWritten(_ time: Time) {
    guard var times = writtenTimes, times[time.rawValue] != nil else { return }
    times[time.rawValue] = nil
    writtenTimes = times.isEmpty ? nil : times
  }

  /// The times an administrator may write, by their wire names.
  enum Time: String {
    case createdAt, lastLoginAt, validSince
  }
}
