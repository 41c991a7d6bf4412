internal import HTTP

/// The state of one `drive`.
struct DriveState {
  let start: WebURL
  let redirect: WebURL
  let deadline: ContinuousClock.Instant
  /// Saves the pages of this visit.
  let run: SignInTrace.Run?
  /// Reports what is done on the pages.
  let narrator: PageNarrator
  var pages = 0
  var page: SignInPage?
  /// The page whose deny button was pressed.
  private(set) var deniedOn: SignInPage?
  private(set) var denyButton: String?

  init(
    start: WebURL, redirect: WebURL, limits: FormLimits, run: SignInTrace.Run?,
    narrator: PageNarrator
  ) {
    self.start = start
    self.redirect = redirect
    self.run = run
    self.narrator = narrator
    deadline = .now + limits.duration
  }

  /// Returns the error of a denied consent, once the provider has redirected back.
  func denial(_ arrival: SignInArrival, _ reader: FormReader) -> FormDriverError? {
    guard let deniedOn else { return nil }
    // A sign-out returns without an error even when the user stays signed in.
    let isHeeded = arrival.providerError != nil || reader.task == .signOut
    guard isHeeded || arrival.isGrant else { return nil }
    return reader.failure(
      isHeeded ? .consentDenied : .denialIgnored, on: deniedOn, field: denyButton)
  }

  mutating func deny(on page: SignInPage, button: String?) {
    deniedOn = page
    denyButton = button
  }

  /// Returns the page to name in a message about `url`: the current one if it is there.
  func place(_ url: WebURL) -> SignInPage {
    if let page, page.url.origin == url.origin, page.url.path == url.path { return page }
    return SignInPage(emptyAt: url)
  }
}

extension WebURL {
  /// Whether both URLs are the same except for query and fragment.
  func isSamePlace(as other: WebURL) -> Bool {
    scheme == other.scheme && host.lowercased() == other.host.lowercased() && port == other.port
      && (path.isEmpty ? "/" : path) == (other.path.isEmpty ? "/" : other.path)
  }
}

extension SignInPage {
  /// Creates a page without content, for messages.
  init(emptyAt url: WebURL) {
    self.url = url
    base = url
    title = ""
    heading = ""
    forms = []
    links = []
    needsScript = false
  }
}
