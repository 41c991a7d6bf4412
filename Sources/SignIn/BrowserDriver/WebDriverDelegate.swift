internal import System
public import HTTP
internal import IdentityToolkit
public import Client

/// Signs in with a browser over WebDriver, by answers or by a script.
///
/// Each sign-in opens its own browser, unless `keepsSession` is set.
public final class WebDriverDelegate: AuthUIDelegate {
  /// Drives one page; nil means that the response is in the browser's final URL.
  public typealias Script =
    (_ page: Page, _ request: SignInPageRequest) async throws(AuthError) -> PageAnswer?

  /// The settings of a delegate.
  public struct Settings {
    /// How to open the browser.
    var browser: BrowserOptions
    /// What to fill in when there is no script.
    public var answers: SignInAnswers
    /// The limits of the whole sign-in.
    public var limits: FormLimits
    /// The redirect address on this machine at which to listen for the response.
    public var redirectURI: WebURL?
    /// Whether later sign-ins keep the cookies of earlier ones.
    public var keepsSession = false
    /// Saves pages and screenshots.
    public var trace: SignInTrace?
    /// Receives the actions at pages.
    public var observe: PageObserver?
    /// Receives the pages that it wants, and what their browsers log.
    public var recorder: PageRecorder?

    /// Creates settings.
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
  /// The page of earlier sign-ins, while no sign-in uses it.
  private var kept: Page?

  /// Creates a delegate that signs in by answers or, if given, by a script.
  public init(_ settings: Settings, script: Script?, loop: EventLoop) {
    self.settings = settings
    self.script = script
    self.loop = loop
  }

  /// Prepares a sign-in; the browser opens with the first page.
  public func begin(_ providerID: String) async throws(AuthError) -> SignInWay {
    .page(try WebDriverPresentation(self))
  }

  /// Closes the browser that was kept.
  public func end() async {
    let page = kept
    kept = nil
    await page?.close()
  }

  /// Returns the kept page, or opens a new one.
  func page(for request: SignInPageRequest) async throws(PageError) -> Page {
    if let page = kept, !page.isClosed {
      kept = nil
      // The browser may have ended since.
      if (try? await page.address()) != nil { return page }
      await page.close()
    }
    var browser = settings.browser
    browser.language = browser.language ?? request.language
    // No page load or script may take longer than the whole sign-in.
    browser.pageLoadTimeout = min(browser.pageLoadTimeout, settings.limits.duration)
    browser.scriptTimeout = min(browser.scriptTimeout, settings.limits.duration)
    return try await Page.open(browser, loop: loop, recorder: settings.recorder)
  }

  /// Keeps or closes a page after its sign-in.
  func giveBack(_ page: Page) async {
    if settings.keepsSession, kept == nil, !page.isClosed {
      kept = page
    } else {
      await page.close()
    }
  }
}

final class WebDriverPresentation: SignInPresentation {
  private let delegate: WebDriverDelegate
  private let listener: LoopbackListener?
  /// The response from the listener; nil without one.
  private let inbox: AnswerSlot?
  private var listening: LoopTask?
  private var page: Page?
  private var hasEnded = false

  var redirectURL: WebURL? { listener?.redirectURL }

  init(_ delegate: WebDriverDelegate) throws(AuthError) {
    self.delegate = delegate
    listener = try delegate.settings.redirectURI.map { url throws(AuthError) in
      try LoopbackListener(redirectURI: url, loop: delegate.loop)
    }
    inbox = listener == nil ? nil : AnswerSlot(delegate.loop)
  }

  func present(_ request: SignInPageRequest) async throws(AuthError) -> PageAnswer {
    let page: Page
    do throws(PageError) { page = try await delegate.page(for: request) } catch {
      throw AuthError(error, providerID: request.providerID)
    }
    guard !hasEnded else {
      await page.close()
      throw AuthError(.webContextCancelled, "\(request.providerID): the sign-in was ended")
    }
    self.page = page
    listen(request)
    let run = SignInTrace.begin(
      request.providerID, delegate.settings.trace, delegate.settings.recorder)
    let driver = BrowserDriver(
      page, request, answers: delegate.settings.answers, limits: delegate.settings.limits,
      inbox: inbox, run: run,
      narrator: PageNarrator(
        observe: delegate.settings.observe, providerID: request.providerID))
    guard let script = delegate.script else { return try await driver.drive() }
    return try await driver.drive(by: script)
  }

  private func listen(_ request: SignInPageRequest) {
    guard let listener, let inbox else { return }
    listener.expect(state: request.url.fields["state"])
    listening = LoopTask(on: delegate.loop) {
      await inbox.settle { () async throws(AuthError) in try await listener.answer() }
    }
  }

  func end() async {
    hasEnded = true
    listener?.stop()
    await listening?.end()
    guard let page else { return }
    self.page = nil
    await delegate.giveBack(page)
  }
}
