public import Client
public import HTTP

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
