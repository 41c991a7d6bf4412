internal import System
public import HTTP
internal import IdentityToolkit
public import Client

/// Opens sign-in pages in the user's own browser and listens on this machine for the redirect (RFC 8252).
public final class BrowserDelegate: AuthUIDelegate {
  private let address: LoopbackAddress
  private let opener: any PageOpener
  private let terminal: SignInTerminal?
  private let loop: EventLoop
  private let limit: Duration

  /// Creates a delegate for a user at this machine.
  ///
  /// - Parameters:
  ///   - address: where the browser is redirected to; each sign-in has its own listener there.
  ///   - opener: what opens the browser.
  ///   - terminal: also shows the URL, and asks for the final URL when there is no browser.
  ///   - limit: the time limit of a sign-in.
  public init(
    address: LoopbackAddress, opener: any PageOpener, terminal: SignInTerminal?, loop: EventLoop,
    limit: Duration = .seconds(300)
  ) {
    self.address = address
    self.opener = opener
    self.terminal = terminal
    self.loop = loop
    self.limit = limit
  }

  /// Starts the listener for the redirect.
  public func begin(_ providerID: String) async throws(AuthError) -> SignInWay {
    .page(
      BrowserPresentation(
        listener: try LoopbackListener(at: address, loop: loop), opener: opener,
        terminal: terminal, loop: loop, limit: limit))
  }
}

/// One sign-in page in the user's own browser.
final class BrowserPresentation: SignInPresentation {
  private var listener: LoopbackListener
  private let opener: any PageOpener
  private let terminal: SignInTerminal?
  private let loop: EventLoop
  private let limit: Duration
  private var opening: LoopTask?

  init(
    listener: LoopbackListener, opener: any PageOpener, terminal: SignInTerminal?,
    loop: EventLoop, limit: Duration
  ) {
    self.listener = listener
    self.opener = opener
    self.terminal = terminal
    self.loop = loop
    self.limit = limit
  }

  var redirectURL: WebURL? { listener.redirectURL }

  func present(_ request: SignInPageRequest) async throws(AuthError) -> PageAnswer {
    try listen(at: request.redirectURI)
    listener.expect(state: request.url.fields["state"], needsResult: !request.isSignOut)
    let listener = listener
    opening = LoopTask(on: loop) { [self] in
      do throws(AuthError) {
        if let answer = try await open(request) { listener.settle(.success(answer)) }
      } catch {
        listener.settle(.failure(error))
      }
    }
    return try await listener.answer(within: limit)
  }

  func end() async {
    listener.stop()
    await opening?.end()
    opening = nil
  }

  /// Moves the listener when the flow has its own redirect address.
  private func listen(at redirectURI: WebURL) throws(AuthError) {
    guard !redirectURI.leads(to: listener.redirectURL) else { return }
    listener.stop()
    let address: LoopbackAddress
    do throws(LoopbackAddress.Problem) {
      address = try LoopbackAddress(redirectURI)
    } catch {
      throw AuthError(
        .webPageUnusable, "the redirect address \(redirectURI.origin) \(error.words)",
        hint: "use ui.paste for it, or an address of this machine with a port")
    }
    listener = try LoopbackListener(at: address, loop: loop)
    guard redirectURI.leads(to: listener.redirectURL) else {
      throw AuthError(
        .webPageUnusable, "the redirect address \(redirectURI) names no port",
        hint: "name a port in it, such as http://127.0.0.1:8400/callback")
    }
  }

  /// Opens the page.
  ///
  /// Returns a response only if the user had to open it and paste the final URL.
  private func open(_ request: SignInPageRequest) async throws(AuthError) -> PageAnswer? {
    terminal?.write(
      """
      luath: the sign-in page of \(request.providerID) opens in your browser. If it does not, open

        \(request.url)

      """)
    let reason: String
    do throws(PageOpeningFailure) {
      try await opener.open(request.url)
      return nil
    } catch {
      switch error {
      case .failed(let error): throw error
      case .unavailable(let words): reason = words
      }
    }
    return try await paste(request, reason)
  }

  private func paste(
    _ request: SignInPageRequest, _ reason: String
  ) async throws(AuthError) -> PageAnswer {
    let unavailable = AuthError(
      .webBrowserUnavailable, "no browser can be opened: \(reason)",
      hint: "set BROWSER to a program that opens one, or use ui.paste, ui.form or ui.webdriver")
    guard let terminal else { throw unavailable }
    terminal.write("luath: no browser can be opened: \(reason).\n")
    do throws(AuthError) {
      return try await PasteDelegate(terminal: terminal, loop: loop, limit: limit).ask(request)
    } catch {
      // No user is there to paste the URL either.
      throw error.code == .webContextCancelled ? unavailable : error
    }
  }
}

extension WebURL {
  fileprivate func leads(to other: WebURL) -> Bool { origin == other.origin && path == other.path }
}

extension SignInPageRequest {
  /// Whether the page signs the user out (OpenID Connect RP-Initiated Logout section 2).
  var isSignOut: Bool { url.fields["post_logout_redirect_uri"] != nil }
}

/// Opens a page where the user can see it.
public protocol PageOpener {
  /// Opens the page, and returns when opening can no longer fail.
  ///
  /// It is canceled when the sign-in ends earlier.
  func open(_ page: WebURL) async throws(PageOpeningFailure)
}

/// Why a page was not opened.
public enum PageOpeningFailure: Error {
  /// There is no browser, for this reason; the user is asked to open the page elsewhere.
  case unavailable(String)
  /// The sign-in ends with this error.
  case failed(AuthError)
}
