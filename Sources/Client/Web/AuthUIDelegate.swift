public import HTTP

/// Gets a credential from an identity provider, by its page or in another way.
public protocol AuthUIDelegate {
  /// Prepares for one sign-in at a provider.
  ///
  /// It is called for every sign-in, so one delegate may serve several at once.
  func begin(_ providerID: String) async throws(AuthError) -> SignInWay
}

/// How a delegate gets the credential of one sign-in.
public enum SignInWay {
  /// With the provider's page, at the authorization URL from the backend.
  case page(any SignInPresentation)
  /// Without that page, as on a device without a browser: the provider sends the tokens to luath, not to the backend.
  case credential(() async throws(AuthError) -> Credential)
}

/// The sign-in page of one sign-in.
public protocol SignInPresentation {
  /// The URL that the identity provider redirects to; nil for the project's own handler.
  ///
  /// A presentation that listens on this machine returns its own address.
  var redirectURL: WebURL? { get }

  /// Shows the page and returns its final URL.
  func present(_ request: SignInPageRequest) async throws(AuthError) -> PageAnswer

  /// Closes everything that `begin` and `present` opened, such as browsers and ports.
  ///
  /// Called exactly once in every case, even before anything was shown or when the task is cancelled. It must not
  /// wait for anything that a cancelled task cannot do.
  func end() async
}

extension SignInPresentation {
  /// The project's own handler.
  public var redirectURL: WebURL? { nil }

  /// Closes nothing.
  public func end() async {}
}

/// A delegate that needs no separate object per sign-in.
public protocol PageDelegate: AuthUIDelegate, SignInPresentation {}

extension PageDelegate {
  /// Returns itself for every sign-in.
  public func begin(_ providerID: String) async throws(AuthError) -> SignInWay { .page(self) }
}
