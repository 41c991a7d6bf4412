internal import Encoding

extension PageError {
  /// A failure of the browser, in terms of the page.
  ///
  /// - Parameter deed: What was being done, as in "could not …".
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
      // What the script threw is the script's own business, and says what to mend.
      said = Self.thrown(words)
    }
    self.init(
      code, deed + said, hint: error.hint.isEmpty ? "look at page:screenshot()" : error.hint)
  }

  /// The first line of what chromedriver says, without its own prefix and the session's details.
  private static func thrown(_ words: String) -> String {
    let first = words.prefix { $0 != "\n" }
    let prefix = "javascript error: "
    return SignInPage.words(
      String(first.hasPrefix(prefix) ? first.dropFirst(prefix.count) : first))
  }
}
