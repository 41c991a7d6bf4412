/// A user's path through a provider's pages, from the app and back to it.
final class PageFlow {
  enum Stage {
    /// The user enters a device's code.
    case userCode
    /// The user has accepted or denied the device.
    case deviceEnded(isGranted: Bool)
    case choosing
    /// The user enters the address and, unless the provider asks for it later, the password.
    case identifying
    case password
    case consent
    case stopped(Notice)
  }

  let id: String
  var request: IncomingAuthorization
  let session: ProviderSession
  /// The value that proves a form came from our own page.
  let formToken: String
  var stage = Stage.identifying
  /// The device to sign in, if any.
  var device: DeviceRequest?
  /// The last entry of an e-mail address, or of a device's code before that.
  var typedEmail: String
  /// The error message for the next page.
  var problem: Phrase?
  var failedAttempts = 0
  /// The user, once known; `signedInAt` is when the password was entered, in seconds since 1970.
  var email: String?
  var signedInAt: Int64 = 0
  var hasConsented = false

  init(id: String, request: IncomingAuthorization, session: ProviderSession, formToken: String) {
    self.id = id
    self.request = request
    self.session = session
    self.formToken = formToken
    typedEmail = request.loginHint ?? ""
  }
}
