import System
public import HTTP
public import IdentityToolkit

/// The client of one project, with its current user and all sign-in calls.
///
/// Stays on the thread of its transport. One project may have several, each with its own user.
public final class Auth {
  /// The signed-in user; nil after signing out.
  public private(set) var currentUser: User?

  /// The Identity Platform tenant for sign-ins; not related to Microsoft's tenants.
  ///
  /// An empty string counts as nil.
  public var tenantID: String? {
    didSet { if tenantID?.isEmpty == true { tenantID = nil } }
  }

  /// The host that identity providers redirect to, instead of the project's own.
  public var customAuthDomain: String?

  /// Whether signing in with a credential creates an account for an unknown identity.
  ///
  /// When false, an unknown identity is refused with `userNotFound`. Asking users to prove an existing account then
  /// cannot create a second one.
  public var createsAccounts = true

  let backend: AuthContext
  var isPresenting = false
  var listeners: [AuthListener] = []
  /// The ID token at the last call of the listeners.
  var announcedToken: Secret?

  /// A client of a project.
  public init(
    target: Target, transport: any Transport, clock: any AuthClock = SystemClock()
  ) {
    backend = AuthContext(
      client: IdentityToolkitClient(target: target, transport: transport), clock: clock)
  }

  /// Another client for the project and tenant of a user.
  init(ofProjectOf user: User) {
    backend = user.backend
    tenantID = user.tenantID
  }

  /// The project and the address of its backend.
  public var target: Target { backend.client.target }

  /// The language of e-mails and SMS, such as `fr`; nil for the project's default.
  public var languageCode: String? {
    get { backend.client.languageCode }
    set { backend.client.languageCode = newValue }
  }

  /// Signs out the current user; does nothing when no user is signed in.
  ///
  /// The account and its tokens do not change.
  public func signOut() throws(AuthError) {
    if let currentUser { forget(currentUser.uid) }
  }

  /// Signs out the user with this id, unless another user is current by now.
  func forget(_ uid: String) {
    guard let currentUser, currentUser.hasID(uid) else { return }
    self.currentUser = nil
    announce()
  }

  /// Forgets the current user without calling listeners.
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
