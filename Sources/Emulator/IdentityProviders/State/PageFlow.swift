/// One person's way through a provider's pages, from the app and back.
final class PageFlow {
  enum Stage {
    /// The code that a device shows.
    case userCode
    /// The person has told the device yes or no.
    case deviceEnded(isGranted: Bool)
    case choosing
    /// The address, with the password on the same page unless the provider asks for it later.
    case identifying
    case password
    case consent
    case stopped(Notice)
  }

  let id: String
  var request: IncomingAuthorization
  let session: BrowserSession
  /// The value that shows a form came from our own page.
  let formToken: String
  var stage = Stage.identifying
  /// The device that waits for this sign-in.
  var device: DeviceRequest?
  /// What the person typed as address, or first as code of a device, so far.
  var typedEmail: String
  /// What the next page says went wrong.
  var problem: Phrase?
  var failedAttempts = 0
  /// The person, once known, and when they typed the password.
  var email: String?
  var signedInAt: Int64 = 0
  var hasConsented = false

  init(id: String, request: IncomingAuthorization, session: BrowserSession, formToken: String) {
    self.id = id
    self.request = request
    self.session = session
    self.formToken = formToken
    typedEmail = request.loginHint ?? ""
  }
}
