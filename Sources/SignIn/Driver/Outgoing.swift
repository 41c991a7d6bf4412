internal import HTTP

/// A request of the form driver, before cookies are added.
struct Outgoing {
  var method = "GET"
  var url: WebURL
  var contentType: String?
  var origin: String?
  var body: [UInt8] = []
  /// Whether it contains something only the provider may know.
  var holdsSecret = false
  /// The page it comes from; nil for a URL that the user entered.
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

  /// Returns the request for a redirect.
  ///
  /// Only 307 and 308 repeat method and body (Fetch standard, "HTTP-redirect fetch").
  func redirected(to next: WebURL, status: Int) -> Outgoing {
    guard status == 307 || status == 308 else { return Outgoing(url: next, from: page) }
    var again = self
    again.url = next
    if next.origin != url.origin, again.origin != nil { again.origin = "null" }
    return again
  }

  /// The origin for the SameSite rules of cookies.
  var requestOrigin: RequestOrigin {
    guard let page, !HostTrust.isSame(page, url) else { return .sameSite }
    return .otherSite(isSafe: method == "GET")
  }

  /// The Referer header.
  ///
  /// It is the full URL within one origin, otherwise the origin; nothing from an encrypted page to
  /// an unencrypted one (Referrer Policy, "strict-origin-when-cross-origin").
  var referrer: String? {
    guard let page else { return nil }
    if page.origin == url.origin { return page.with(fragment: nil).description }
    if page.scheme == "https", url.scheme != "https" { return nil }
    return page.origin + "/"
  }
}
