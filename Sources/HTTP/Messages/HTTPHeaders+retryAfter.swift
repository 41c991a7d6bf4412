import Glibc

extension HTTPHeaders {
  /// How long the server asks to wait before the next try, given in seconds or as a date.
  ///
  /// A date is compared with the answer's own Date, so that a wrong clock here does not matter; this time
  /// in seconds since 1970 stands in for one that is missing (RFC 9110 section 10.2.3).
  public func retryAfter(now: Int64? = nil) -> Duration? {
    guard let text = self["Retry-After"] else { return nil }
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      // A number that no integer holds is longer than anybody waits.
      return .seconds(min(Int64(text) ?? .max, Self.longestWait))
    }
    guard let date = HTTPDate.seconds(parsing: text) else { return nil }
    let sent = self["Date"].flatMap { HTTPDate.seconds(parsing: $0) } ?? now ?? Int64(time(nil))
    return .seconds(min(max(date - sent, 0), Self.longestWait))
  }

  /// A year.
  private static let longestWait: Int64 = 31_536_000
}
