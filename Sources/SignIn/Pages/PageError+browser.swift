internal import System

extension PageError {
  /// Converts an error of the browser.
  ///
  /// - Parameter deed: The failed action, to follow "could not".
  init(_ error: WebDriverError, to deed: String) {
    var deed = "could not \(deed): "
    let code: Code
    switch error.code {
    case .noSuchElement, .staleElementReference, .detachedShadowRoot, .noSuchFrame,
      .noSuchShadowRoot:
      code = .elementNotFound
    case .elementClickIntercepted, .elementNotInteractable, .invalidElementState,
      .moveTargetOutOfBounds:
      code = .notInteractable
    case .invalidSelector: code = .invalidLocator
    case .javascriptError: code = .javascriptError
    case .pageUnreachable, .insecureCertificate: code = .navigationFailed
    case .scriptTimeout, .timeout: code = .timedOut
    case .unexpectedAlertOpen: code = .dialogOpened
    case .noSuchWindow, .invalidSessionID: code = .pageClosed
    case .driverMissing, .browserMissing, .versionMismatch, .cannotStart, .sessionNotCreated,
      .unexpectedAnswer:
      code = .browserUnavailable
      deed = ""
    case .cancelled: code = .cancelled
    case .unknownCommand, .unknownMethod, .unsupportedOperation, .invalidArgument,
      .unableToSetCookie, .invalidCookieDomain, .noSuchCookie, .noSuchAlert:
      code = .notSupported
    default: code = .browserFailed
    }
    var said = error.message
    if error.code == .javascriptError, let words = error.driverMessage?.reveal() {
      // The error that the user's script threw is shown, because it says what to fix.
      said = Self.thrown(words)
    }
    self.init(
      code, deed + said, hint: error.hint.isEmpty ? "look at page:screenshot()" : error.hint)
  }

  /// Returns the first line of chromedriver's message, without its prefix.
  private static func thrown(_ words: String) -> String {
    let first = words.prefix { $0 != "\n" }
    let prefix = "javascript error: "
    return SignInPage.words(
      String(first.hasPrefix(prefix) ? first.dropFirst(prefix.count) : first))
  }
}
