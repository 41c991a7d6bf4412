public import Auth
internal import Encoding
public import IdentityToolkit

extension AuthError {
  /// A failure of the browser in Auth's terms, with its own kind in `details`.
  public init(_ failure: WebDriverError, providerID: String) {
    self.init(
      failure.code.authCode, "\(providerID): \(failure.message)",
      hint: failure.hint.isEmpty ? failure.code.authCode.hint : failure.hint,
      details: ["reason": .string(failure.code.rawValue)])
  }
}

extension WebDriverError.Code {
  /// The kind of error a sign-in ends with.
  public var authCode: ErrorCode {
    switch self {
    case .driverMissing, .browserMissing, .versionMismatch, .cannotStart, .sessionNotCreated,
      .unexpectedAnswer:
      .webBrowserUnavailable
    case .browserCrashed, .driverGone, .timedOut, .invalidSessionID, .unknownCommand,
      .unknownError, .unknownMethod, .unsupportedOperation, .unableToCaptureScreen:
      .webBrowserFailed
    case .timeout, .scriptTimeout: .webContextTimedOut
    case .cancelled, .noSuchWindow: .webContextCancelled
    case .pageUnreachable, .insecureCertificate: .webNetworkRequestFailed
    case .detachedShadowRoot, .elementClickIntercepted, .elementNotInteractable, .invalidArgument,
      .invalidCookieDomain, .invalidElementState, .invalidSelector, .javascriptError,
      .moveTargetOutOfBounds, .noSuchAlert, .noSuchCookie, .noSuchElement, .noSuchFrame,
      .noSuchShadowRoot, .staleElementReference, .unableToSetCookie, .unexpectedAlertOpen:
      .webPageUnusable
    }
  }
}
