extension WebDriverError.Code {
  /// The default message.
  var summary: String {
    switch self {
    case .detachedShadowRoot: "the shadow root is no longer part of the page"
    case .elementClickIntercepted: "another element covers the one to click"
    case .elementNotInteractable: "the element cannot be clicked or typed into"
    case .insecureCertificate: "the page's certificate is refused by the browser"
    case .invalidArgument: "the driver refuses an argument of the command"
    case .invalidCookieDomain: "the cookie belongs to another host than the page"
    case .invalidElementState: "the element cannot be changed, as it is disabled or read-only"
    case .invalidSelector: "the selector is not one"
    case .invalidSessionID: "the driver does not know the session"
    case .javascriptError: "the script threw an error in the page"
    case .moveTargetOutOfBounds: "the pointer would leave the window"
    case .noSuchAlert: "no dialog is open"
    case .noSuchCookie: "there is no such cookie"
    case .noSuchElement: "there is no such element"
    case .noSuchFrame: "there is no such frame"
    case .noSuchShadowRoot: "the element has no shadow root"
    case .noSuchWindow: "the window was closed"
    case .scriptTimeout: "the script did not end in time"
    case .sessionNotCreated: "the driver could not start a browser"
    case .staleElementReference: "the element is no longer part of the page"
    case .timeout: "the page did not load in time"
    case .unableToCaptureScreen: "the browser could not take a screenshot"
    case .unableToSetCookie: "the browser refuses the cookie"
    case .unexpectedAlertOpen: "the page opened a dialog, which was dismissed"
    case .unknownCommand: "the driver does not know the command"
    case .unknownError: "the driver failed"
    case .unknownMethod: "the driver does not know the command by this method"
    case .unsupportedOperation: "the driver cannot do this"
    case .pageUnreachable: "the browser could not load the page"
    case .driverMissing: "there is no chromedriver on this machine"
    case .browserMissing: "there is no browser on this machine that chromedriver can drive"
    case .versionMismatch: "chromedriver and the browser are of different versions"
    case .cannotStart: "the browser could not be started"
    case .browserCrashed: "the browser ended in the middle"
    case .driverGone: "the driver ended in the middle"
    case .timedOut: "the driver did not answer in time"
    case .cancelled: "the browser was no longer wanted"
    case .unexpectedAnswer: "what answered does not speak WebDriver"
    }
  }

  /// The default hint.
  var hint: String {
    switch self {
    case .driverMissing:
      "install chromium and chromium-driver of one version, or name a driver by its address"
    case .browserMissing:
      "install chromium (or chromium-headless-shell) of chromedriver's version, or name a browser"
    case .versionMismatch: "install chromium and chromium-driver of one version"
    case .cannotStart, .sessionNotCreated:
      "run the browser by hand to see what it lacks; a headed one needs a display"
    case .browserCrashed:
      "look at the machine's free memory and /dev/shm, and at the versions of browser and driver"
    case .driverGone: "start again, and look at the driver's own log if it happens again"
    case .timedOut, .timeout: "allow more time, or look at what holds the page up"
    case .scriptTimeout: "allow more time, and call the callback in every branch of the script"
    case .unexpectedAnswer: "check that the address is that of a WebDriver server"
    case .elementNotInteractable, .elementClickIntercepted:
      "wait until the element can be seen, and close what covers it"
    case .staleElementReference, .detachedShadowRoot: "find the element again"
    case .invalidSelector: "check the selector's spelling"
    case .noSuchWindow: "leave the window open until the sign-in is done"
    case .noSuchElement: "look at the page: it may be another one, or still be loading"
    case .noSuchFrame: "look at the page: it may be another one, or still be loading"
    case .insecureCertificate: "let the browser trust the issuing authority"
    case .invalidCookieDomain, .unableToSetCookie: "open a page of the cookie's host first"
    case .unknownCommand, .unknownMethod, .unsupportedOperation:
      "use chromedriver, or a newer version of this driver"
    case .pageUnreachable: "check the address, and that its server runs"
    case .invalidSessionID: "open another session"
    default: ""
    }
  }
}
