import Encoding
public import HTTP
public import IdentityToolkit

/// The client of one project: who is signed in, and every way to sign in.
///
/// Lives where its transport lives and is not shared between threads. Several may exist for one
/// project, each with its own user.
public final class Auth {
  /// The user who signed in last; nil after signing out.
  public private(set) var currentUser: User?

  /// The Identity Platform tenant to sign in to, which has nothing to do with Microsoft's tenants.
  ///
  /// An empty text counts as none.
  public var tenantID: String? {
    didSet { if tenantID?.isEmpty == true { tenantID = nil } }
  }

  /// The host that identity providers send the browser back to, instead of the project's own.
  public var customAuthDomain: String?

  /// Whether signing in with a credential makes the account of an unknown person.
  ///
  /// Off, an unknown person is refused as `userNotFound`, so that asking somebody to prove an
  /// existing account cannot leave a second one behind.
  public var createsAccounts = true

  let backend: Backend
  var isPresenting = false
  var listeners: [AuthListener] = []
  /// The ID token that listeners were told of last.
  var announcedToken: Secret?

  /// Makes a client of a project.
  public init(
    target: Target, transport: any Transport, clock: any AuthClock = SystemClock()
  ) {
    backend = Backend(
      client: IdentityToolkitClient(target: target, transport: transport), clock: clock)
  }

  /// Makes one more client of the project and tenant that a user belongs to.
  init(ofProjectOf user: User) {
    backend = user.backend
    tenantID = user.tenantID
  }

  /// The project and where its backend is.
  public var target: Target { backend.client.target }

  /// The language of mails and messages the backend sends, such as `fr`; nil for the project's own.
  public var languageCode: String? {
    get { backend.client.languageCode }
    set { backend.client.languageCode = newValue }
  }

  /// Forgets the current user; the account and its tokens stay as they are.
  ///
  /// Signing out when nobody is signed in does nothing.
  public func signOut() throws(AuthError) {
    if let currentUser { forget(currentUser.uid) }
  }

  /// Signs out the user of this identifier, unless another one is current by now.
  func forget(_ uid: String) {
    guard let currentUser, currentUser.hasID(uid) else { return }
    self.currentUser = nil
    announce()
  }

  /// Forgets who is signed in, and tells nobody.
  func forgetSession() {
    currentUser = nil
    announcedToken = nil
    isPresenting = false
    backend.recaptchaToken = nil
  }

  func makeCurrent(_ user: User) {
    guard currentUser !== user else { return tokensChanged(of: user) }
    currentUser = user
    announce()
  }
}
