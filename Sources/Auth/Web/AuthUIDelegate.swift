public import HTTP

/// Whoever gets a person's proof from an identity provider: shows the page, or does without one.
public protocol AuthUIDelegate {
  /// Gets ready for one sign-in at a provider.
  ///
  /// Every sign-in has a beginning of its own, so one delegate may serve several at once.
  func begin(_ providerID: String) async throws(AuthError) -> SignInWay
}

/// How a delegate gets the proof of one sign-in.
public enum SignInWay {
  /// By the provider's page, at the authorization address the backend gives.
  case page(any SignInPresentation)
  /// Without that page, as a device that has no browser does: the tokens come to us, and not the
  /// backend's address for them.
  case credential(() async throws(AuthError) -> Credential)
}

/// One sign-in page on show.
public protocol SignInPresentation {
  /// Where the identity provider shall send the browser, if not to the project's own handler.
  ///
  /// A presentation that listens on this machine answers with its own address.
  var redirectURL: WebURL? { get }

  /// Shows the page and returns where it ended.
  func present(_ request: SignInPageRequest) async throws(AuthError) -> PageAnswer

  /// Closes whatever `begin` and `present` opened: browsers, ports.
  ///
  /// Called once on every way out, also before anything was shown and when the task is cancelled, so
  /// it must not wait for what a cancelled task cannot do.
  func end() async
}

extension SignInPresentation {
  /// The project's own handler.
  public var redirectURL: WebURL? { nil }

  /// Closes nothing.
  public func end() async {}
}

/// A delegate that needs nothing of its own for a single sign-in.
public protocol PageDelegate: AuthUIDelegate, SignInPresentation {}

extension PageDelegate {
  /// Itself, for every sign-in.
  public func begin(_ providerID: String) async throws(AuthError) -> SignInWay { .page(self) }
}
