internal import HTTP

/// A request of the driver before cookies are added.
struct Outgoing {
  var method = "GET"
  var url: WebURL
  var contentType: String?
  var origin: String?
  var body: [UInt8] = []
  var holdsPassword = false

  init(url: WebURL) { self.url = url }

  init(_ submission: FormSubmission, from page: SignInPage, holdsPassword: Bool) {
    method = submission.method
    url = submission.url
    contentType = submission.contentType
    body = submission.body
    origin = submission.method == "POST" ? page.url.origin : nil
    self.holdsPassword = holdsPassword
  }

  /// The request a browser makes next: only 307 and 308 repeat method and body
  /// (Fetch standard, "HTTP-redirect fetch").
  func redirected(to next: WebURL, status: Int) -> Outgoing {
    guard status == 307 || status == 308 else { return Outgoing(url: next) }
    var again = self
    again.url = next
    if next.origin != url.origin, again.origin != nil { again.origin = "null" }
    return again
  }
}
