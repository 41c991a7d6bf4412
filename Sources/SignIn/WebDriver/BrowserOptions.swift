public import HTTP

/// The options for opening a browser.
public struct BrowserOptions: Sendable {
  /// The URL of a running driver, on this machine or elsewhere; nil starts a chromedriver.
  ///
  /// With a running driver, only the session is ended. If opening a session is given up, the
  /// session stays with that driver. The driver receives everything that is entered, so its URL
  /// must be HTTPS or on this machine, unless `trustsDriver` is set.
  public var driverURL: WebURL?

  /// Whether a remote driver may be used without encryption.
  var trustsDriver = false

  /// The path of the chromedriver to start; nil searches PATH.
  var driver: String?

  /// The path of the browser; nil searches the usual places.
  public var browser: String?

  /// Whether the browser runs without a window.
  public var isHeadless = true

  /// The window's width and height in pixels.
  public var windowSize: (width: Int, height: Int) = (1280, 900)

  /// The language of pages and browser, such as `fr` or `de-CH`; nil for the system's.
  public var language: String?

  /// Whether to accept untrusted certificates.
  var acceptsInsecureCertificates = false

  /// The time limit for starting driver and browser.
  var startTimeout: Duration = .seconds(30)

  /// The time limit for loading a page.
  var pageLoadTimeout: Duration = .seconds(30)

  /// The time limit for a script in the page.
  var scriptTimeout: Duration = .seconds(30)

  /// How long the driver waits for an element to appear.
  var implicitWait: Duration = .zero

  /// Extra time for the driver's responses, on top of the limits above.
  var driverSlack: Duration = .seconds(5)

  /// The environment of started programs, also used to find them.
  var environment = ProcessEnvironment.current

  /// Creates the default options: a headless browser on this machine.
  public init() {}
}
