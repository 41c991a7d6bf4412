public import HTTP

/// Which browser to open, and how.
public struct BrowserOptions: Sendable {
  /// A driver that runs already, on this machine or elsewhere; nil starts a chromedriver.
  ///
  /// Nothing is started then, and only the session is ended; one whose opening is given up stays with
  /// that driver. The driver learns everything that is
  /// typed, so its address must be https or on this machine, unless `trustsDriver` is set.
  public var driverURL: WebURL?

  /// Whether a driver elsewhere may be spoken to without encryption.
  public var trustsDriver = false

  /// The chromedriver to start, as a path; nil looks in PATH.
  public var driver: String?

  /// The browser, as a path; nil looks in the usual places.
  public var browser: String?

  /// Whether the browser shows no window.
  public var isHeadless = true

  /// The window's width and height in pixels.
  public var windowSize: (width: Int, height: Int) = (1280, 900)

  /// The language of pages and browser, such as `fr` or `de-CH`; nil leaves the system's.
  public var language: String?

  /// Whether pages with certificates that nobody vouches for are shown.
  public var acceptsInsecureCertificates = false

  /// How long driver and browser may take to start.
  public var startTimeout: Duration = .seconds(30)

  /// How long a page may take to load.
  public var pageLoadTimeout: Duration = .seconds(30)

  /// How long a script in the page may take.
  public var scriptTimeout: Duration = .seconds(30)

  /// How long the driver itself looks for an element that is not there yet.
  public var implicitWait: Duration = .zero

  /// How long a driver may take besides for what it does.
  var driverSlack: Duration = .seconds(5)

  /// Where programs are looked for and what they are started with.
  var environment = ProcessEnvironment.current

  /// Creates options: a headless browser of this machine.
  public init() {}
}
