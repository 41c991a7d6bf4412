internal import Encoding

extension BrowserSession {
  /// The name of the window that commands go to.
  public func window() async throws(WebDriverError) -> String { try await text("/window") }

  /// The names of all windows and tabs.
  public func windows() async throws(WebDriverError) -> [String] {
    try Self.names(try await get("/window/handles"))
  }

  /// Sends the commands that follow to another window.
  public func switchTo(window name: String) async throws(WebDriverError) {
    try await post("/window", ["handle": .string(name)])
  }

  /// Opens a tab, or a window, and returns its name; commands still go to the old one.
  public func newWindow(asTab: Bool = true) async throws(WebDriverError) -> String {
    let answer = try await post("/window/new", ["type": asTab ? "tab" : "window"])
    guard let name = answer["handle"]?.string else { throw Self.unexpected("a window") }
    return name
  }

  /// Closes the window that commands go to and returns the names of those left.
  ///
  /// With the last one the browser ends too.
  public func closeWindow() async throws(WebDriverError) -> [String] {
    try Self.names(try await command("DELETE", "/window"))
  }

  /// Makes the window this wide and high, in pixels.
  public func resizeWindow(width: Int, height: Int) async throws(WebDriverError) {
    try await post(
      "/window/rect", ["width": .integer(Int64(width)), "height": .integer(Int64(height))])
  }

  private static func names(_ json: JSON) throws(WebDriverError) -> [String] {
    guard let list = json.array else { throw unexpected("a list of windows") }
    return list.compactMap(\.string)
  }

  /// Sends the commands that follow to the frame an element of the page holds.
  public func switchTo(frame element: ElementID) async throws(WebDriverError) {
    try await post("/frame", ["id": element.json])
  }

  /// Sends the commands that follow to the page itself and no frame of it.
  public func switchToTopFrame() async throws(WebDriverError) {
    try await post("/frame", ["id": .null])
  }

  /// Sends the commands that follow to the frame around this one.
  public func switchToParentFrame() async throws(WebDriverError) { try await post("/frame/parent") }

  /// The words of the dialog that is open.
  public func alertText() async throws(WebDriverError) -> String { try await text("/alert/text") }

  /// Presses OK in the dialog that is open.
  public func acceptAlert() async throws(WebDriverError) { try await post("/alert/accept") }

  /// Presses Cancel in the dialog that is open, or OK when that is all it has.
  public func dismissAlert() async throws(WebDriverError) { try await post("/alert/dismiss") }

  /// Types into the dialog that is open.
  public func type(intoAlert text: String) async throws(WebDriverError) {
    try await post("/alert/text", ["text": .string(text)])
  }
}
