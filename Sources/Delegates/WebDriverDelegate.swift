public import Auth
internal import Encoding
public import HTTP
internal import IdentityToolkit

/// Shows sign-in pages in a browser over WebDriver, and answers them or lets a script do it.
///
/// Each sign-in has a browser of its own, unless the session is kept.
public final class WebDriverDelegate: AuthUIDelegate {
  /// Drives one page; nil means that the browser's own address is the answer.
  public typealias Script =
    (_ page: Page, _ request: SignInPageRequest) async throws(AuthError) -> PageAnswer?

  /// What a delegate is told once.
  public struct Settings {
    /// Which browser, and how.
    public var browser: BrowserOptions
    /// What is filled in where no script does it.
    public var answers: SignInAnswers
    /// Patience for the whole sign-in.
    public var limits: FormLimits
    /// An address of this machine at which the answer is waited for.
    public var redirectURI: WebURL?
    /// Whether a later sign-in finds the cookies of an earlier one.
    public var keepsSession = false
    /// Keeps pages and pictures.
    public var trace: SignInTrace?
    /// Hears what is done at the pages.
    public var observe: PageObserver?

    /// Settings of a delegate.
    public init(
      browser: BrowserOptions, answers: SignInAnswers,
      limits: FormLimits = FormLimits(duration: .seconds(120))
    ) {
      self.browser = browser
      self.answers = answers
      self.limits = limits
    }
  }

  let settings: Settings
  let script: Script?
  let loop: EventLoop
  /// The page of earlier sign-ins, while nobody uses it.
  private var kept: Page?

  /// A delegate with answers, or with a script that does without them.
  public init(_ settings: Settings, script: Script?, loop: EventLoop) {
    self.settings = settings
    self.script = script
    self.loop = loop
  }

  /// Gets ready for one sign-in; its browser opens when there is a page to show.
  public func begin(_ providerID: String) async throws(AuthError) -> SignInWay {
    .page(try WebDriverPresentation(self))
  }

  /// Ends the browser that was kept.
  public func end() async {
    let page = kept
    kept = nil
    await page?.close()
  }

  /// The kept page, or another one.
  func page(for request: SignInPageRequest) async throws(PageError) -> Page {
    if let page = kept, !page.isClosed {
      kept = nil
      // The browser may have gone since.
      if (try? await page.address()) != nil { return page }
      await page.close()
    }
    var browser = settings.browser
    browser.language = browser.language ?? request.language
    // No single page or script may take longer than the whole sign-in.
    browser.pageLoadTimeout = min(browser.pageLoadTimeout, settings.limits.duration)
    browser.scriptTimeout = min(browser.scriptTimeout, settings.limits.duration)
    return try await Page.open(browser, loop: loop)
  }

  /// Takes a page back when its sign-in is over.
  func giveBack(_ page: Page) async {
    if settings.keepsSession, kept == nil, !page.isClosed {
      kept = page
    } else {
      await page.close()
    }
  }
}
