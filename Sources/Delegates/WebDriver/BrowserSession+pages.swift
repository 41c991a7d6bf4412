public import Encoding

extension BrowserSession {
  /// Opens an address and waits for the page to load.
  public func go(to address: String) async throws(WebDriverError) {
    try await post("/url", ["url": .string(address)])
  }

  /// The address of the page, with query and fragment.
  public func url() async throws(WebDriverError) -> String { try await text("/url") }

  /// The page's title.
  public func title() async throws(WebDriverError) -> String { try await text("/title") }

  /// The page as HTML, as it is now.
  public func source() async throws(WebDriverError) -> String { try await text("/source") }

  /// Goes back in the history, if there is something to go back to.
  public func back() async throws(WebDriverError) { try await post("/back") }

  /// Goes forward in the history, if there is something to go forward to.
  public func forward() async throws(WebDriverError) { try await post("/forward") }

  /// Loads the page again.
  public func reload() async throws(WebDriverError) { try await post("/refresh") }

  /// A picture of the window, as a PNG file.
  public func screenshot() async throws(WebDriverError) -> [UInt8] {
    try await picture("/screenshot")
  }

  /// A picture of one element, as a PNG file.
  public func screenshot(of element: ElementID) async throws(WebDriverError) -> [UInt8] {
    try await picture("\(element.path)/screenshot")
  }

  private func picture(_ name: String) async throws(WebDriverError) -> [UInt8] {
    guard let bytes = Base64.decode(try await text(name)) else {
      throw Self.unexpected("a picture")
    }
    return bytes
  }

  /// Runs the body of a function in the page and returns what it returns; elements are passed and
  /// returned as `ElementID.json`.
  public func execute(
    _ script: String, _ arguments: [JSON] = []
  ) async throws(WebDriverError) -> JSON {
    try await post(
      "/execute/sync", ["script": .string(script), "args": .array(arguments)])
  }

  /// Runs the body of a function in the page and returns what it gives to its last argument, a
  /// callback.
  public func executeAsync(
    _ script: String, _ arguments: [JSON] = []
  ) async throws(WebDriverError) -> JSON {
    try await post(
      "/execute/async", ["script": .string(script), "args": .array(arguments)])
  }

  /// How long pages may load, scripts run and the driver look for elements; nil changes nothing.
  public func setTimeouts(
    pageLoad: Duration? = nil, script: Duration? = nil, implicit: Duration? = nil
  ) async throws(WebDriverError) {
    var body: JSONObject = [:]
    body["pageLoad"] = pageLoad.map { .integer($0.milliseconds) }
    body["script"] = script.map { .integer($0.milliseconds) }
    body["implicit"] = implicit.map { .integer($0.milliseconds) }
    try await post("/timeouts", .object(body))
    raiseAnswerTimeout(to: max(pageLoad ?? .zero, script ?? .zero, implicit ?? .zero))
  }

  /// Does a sequence of key, pointer and wheel actions (WebDriver Level 2 section 15).
  public func perform(actions: JSON) async throws(WebDriverError) {
    try await post("/actions", ["actions": actions])
  }

  /// Lets go of all keys and buttons that actions hold down.
  public func releaseActions() async throws(WebDriverError) { try await delete("/actions") }
}
