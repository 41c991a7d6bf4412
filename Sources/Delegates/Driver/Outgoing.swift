internal import HTTP

/// A request of the driver before cookies are added.
struct Outgoing {
  var method = "GET"
  var url: WebURL
  var contentType: String?
  var origin: String?
  var body: [UInt8] = []
  /// Whether it holds something that only the provider may know.
  var holdsSecret = false
  /// The page it comes from; nil for an address a person typed.
  var page: WebURL?

  init(url: WebURL, from page: WebURL? = nil) {
    self.url = url
    self.page = page
  }

  init(_ submission: FormSubmission, from page: SignInPage, holdsSecret: Bool) {
    method = submission.method
    url = submission.url
    contentType = submission.contentType
    body = submission.body
    origin = submission.method == "POST" ? page.url.origin : nil
    self.holdsSecret = holdsSecret
    self.page = page.url
  }

  /// The request a browser makes next: only 307 and 308 repeat method and body
  /// (Fetch standard, "HTTP-redirect fetch").
  func redirected(to next: WebURL, status: Int) -> Outgoing {
    guard status == 307 || status == 308 else { return Outgoing(url: next, from: page) }
    var again = self
    again.url = next
    if next.origin != url.origin, again.origin != nil { again.origin = "null" }
    return again
  }

  /// What cookies ask.
  var requestOrigin: RequestOrigin {
    guard let page, !Site.isSame(page, url) else { return .sameSite }
    return .otherSite(isSafe: method == "GET")
  }

  /// The Referer: the whole address inside one origin, else the origin, and nothing from an
  /// encrypted page to one that is not (Referrer Policy, "strict-origin-when-cross-origin").
  var referrer: String? {
    guard let page else { return nil }
    if page.origin == url.origin { return page.with(fragment: nil).description }
    if page.scheme == "https", url.scheme != "https" { return nil }
    return page.origin + "/"
  }
}
