import Glibc

extension HTTPHeaders {
  /// The server's Retry-After, in seconds or as a date (RFC 9110 section 10.2.3).
  ///
  /// A date is compared with the response's own Date, so that a wrong local clock does not matter.
  /// `now`, in seconds since 1970, is used if that is missing.
  public func retryAfter(now: Int64? = nil) -> Duration? {
    guard let text = self["Retry-After"] else { return nil }
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      // Clamp numbers that do not fit in an integer.
      return .seconds(min(Int64(text) ?? .max, Self.longestWait))
    }
    guard let date = HTTPDate.seconds(parsing: text) else { return nil }
    let sent = self["Date"].flatMap { HTTPDate.seconds(parsing: $0) } ?? now ?? Int64(time(nil))
    return .seconds(min(max(date - sent, 0), Self.longestWait))
  }

  /// One year in seconds.
  private static let longestWait: Int64 = 31_536_000
}
