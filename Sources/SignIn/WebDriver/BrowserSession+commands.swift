import System

extension BrowserSession {
  // MARK: Pages

  /// Opens a URL and waits until the page has loaded.
  func go(to address: String) async throws(WebDriverError) {
    try await post("/url", ["url": .string(address)])
  }

  /// Returns the page's URL, with query and fragment.
  func url() async throws(WebDriverError) -> String { try await text("/url") }

  /// Returns the page's title.
  func title() async throws(WebDriverError) -> String { try await text("/title") }

  /// Returns the current page as HTML.
  func source() async throws(WebDriverError) -> String { try await text("/source") }

  /// Goes back in the history, if possible.
  func back() async throws(WebDriverError) { try await post("/back") }

  /// Reloads the page.
  func reload() async throws(WebDriverError) { try await post("/refresh") }

  /// Takes a screenshot of the window as PNG.
  func screenshot() async throws(WebDriverError) -> [UInt8] {
    guard let bytes = Base64.decode(try await text("/screenshot")) else {
      throw Self.unexpected("a picture")
    }
    return bytes
  }

  /// Runs a function body in the page and returns its result; awaits a promise.
  ///
  /// Elements are passed and returned as `ElementID.json`.
  func execute(
    _ script: String, _ arguments: [JSON] = []
  ) async throws(WebDriverError) -> JSON {
    try await post(
      "/execute/sync", ["script": .string(script), "args": .array(arguments)])
  }

  /// Performs a sequence of key, pointer and wheel actions (WebDriver Level 2 section 15).
  func perform(actions: JSON) async throws(WebDriverError) {
    try await post("/actions", ["actions": actions])
  }

  /// Switches to the frame in an element of the page.
  func switchTo(frame element: ElementID) async throws(WebDriverError) {
    try await post("/frame", ["id": element.json])
  }

  /// Switches to the top-level page.
  func switchToTopFrame() async throws(WebDriverError) {
    try await post("/frame", ["id": .null])
  }

  // MARK: Elements

  /// Scrolls to an element and clicks its center.
  func click(_ element: ElementID) async throws(WebDriverError) {
    try await post("\(element.path)/click")
  }

  /// Clears a field.
  func clear(_ element: ElementID) async throws(WebDriverError) {
    try await post("\(element.path)/clear")
  }

  /// Appends a text to a field; for a file field, the text is a path.
  ///
  /// Characters from U+E000 are keys such as Enter (WebDriver Level 2 section 15.4.2).
  func type(_ text: Secret, into element: ElementID) async throws(WebDriverError) {
    try await post("\(element.path)/value", ["text": .string(text.reveal())])
  }

  // MARK: Cookies

  /// Returns the cookies of the page.
  func cookies() async throws(WebDriverError) -> [BrowserCookie] {
    guard let list = try await get("/cookie").array else { throw Self.unexpected("cookies") }
    return list.compactMap { BrowserCookie($0) }
  }

  /// Deletes all cookies of the page.
  func deleteCookies() async throws(WebDriverError) { try await delete("/cookie") }

  // MARK: Virtual authenticators

  /// Adds a virtual authenticator and returns its id.
  func add(_ authenticator: VirtualAuthenticator) async throws(WebDriverError) -> String {
    let answer = try await post("/webauthn/authenticator", authenticator.json)
    guard let name = answer.string else { throw Self.unexpected("an authenticator's name") }
    return name
  }

  /// Removes a virtual authenticator and its passkeys.
  func removeAuthenticator(_ name: String) async throws(WebDriverError) {
    try await delete(authenticator(name))
  }

  /// Returns the passkeys of a virtual authenticator, with their private keys.
  func credentials(of name: String) async throws(WebDriverError) -> [VirtualCredential] {
    guard let list = try await get("\(authenticator(name))/credentials").array else {
      throw Self.unexpected("a list of credentials")
    }
    return list.compactMap { VirtualCredential($0) }
  }

  /// Sets whether user verification succeeds from now on.
  func setUserVerified(
    _ isVerified: Bool, in name: String
  ) async throws(WebDriverError) {
    try await post("\(authenticator(name))/uv", ["isUserVerified": .bool(isVerified)])
  }

  private func authenticator(_ name: String) -> String {
    "/webauthn/authenticator/\(PercentEncoding.encode(name))"
  }
}
