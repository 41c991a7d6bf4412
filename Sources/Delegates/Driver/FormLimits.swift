/// How much patience a form driver has.
public struct FormLimits: Sendable {
  /// Pages that may be read before the sign-in counts as one that never comes back.
  public var pages: Int
  /// Redirects that may follow one another.
  public var redirects: Int
  /// Bytes of one page.
  public var pageBytes: Int
  /// Time for the whole sign-in.
  public var duration: Duration

  /// Twenty pages of at most 2 MiB within a minute, unless told otherwise.
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
