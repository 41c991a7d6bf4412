/// The limits of a sign-in by the form driver.
public struct FormLimits: Sendable {
  /// The maximum number of pages.
  var pages: Int
  /// The maximum number of consecutive redirects.
  var redirects: Int
  /// The maximum size of a page in bytes.
  var pageBytes: Int
  /// The time limit of the whole sign-in.
  public var duration: Duration

  /// Creates limits; the defaults are 20 pages of at most 2 MiB within a minute.
  public init(
    pages: Int = 20, redirects: Int = 20, pageBytes: Int = 2 << 20,
    duration: Duration = .seconds(60)
  ) {
    self.pages = pages
    self.redirects = redirects
    self.pageBytes = pageBytes
    self.duration = duration
  }
}
