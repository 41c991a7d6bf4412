public import Auth
public import HTTP

/// Shows pages in the person's own browser, and waits on this machine for its return (RFC 8252).
public final class BrowserDelegate: AuthUIDelegate {
  private let address: LoopbackAddress
  private let opener: any PageOpener
  private let terminal: SignInTerminal?
  private let loop: EventLoop
  private let limit: Duration

  /// A delegate for the person at this machine.
  ///
  /// - Parameters:
  ///   - address: where the browser comes back to; each sign-in listens there for itself.
  ///   - opener: what opens the browser.
  ///   - terminal: where the address is shown too, and asked for when there is no browser.
  ///   - limit: how long the person has.
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

  /// Listens for the browser's return.
  public func begin(_ providerID: String) async throws(AuthError) -> SignInWay {
    .page(
      BrowserPresentation(
        listener: try LoopbackListener(at: address, loop: loop), opener: opener,
        terminal: terminal, loop: loop, limit: limit))
  }
}
