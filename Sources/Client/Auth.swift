public import HTTP
public import IdentityToolkit
public import System
import Glibc

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

  /// The properties of an Auth that a script can set, without the signed-in user.
  public struct Settings {
    let tenantID: String?
    let customAuthDomain: String?
    let createsAccounts: Bool
    let languageCode: String?
    let listeners: [AuthListener]
  }

  /// The current settings.
  public var settings: Settings {
    Settings(
      tenantID: tenantID, customAuthDomain: customAuthDomain, createsAccounts: createsAccounts,
      languageCode: languageCode, listeners: listeners)
  }

  /// Resets the Auth for a new, empty project, with the given settings.
  ///
  /// No user is signed in afterwards. Listeners are not called.
  public func renew(to settings: Settings) {
    forgetSession()
    tenantID = settings.tenantID
    customAuthDomain = settings.customAuthDomain
    createsAccounts = settings.createsAccounts
    languageCode = settings.languageCode
    listeners = settings.listeners
    for listener in listeners { listener.reset() }
  }

  /// Revokes the tokens that Apple issued for an authorization code of the current user.
  ///
  /// Apple requires this of apps before they delete an account.
  public func revokeToken(authorizationCode: Secret) async throws(AuthError) {
    guard let user = currentUser else { throw AuthError(.nullUser) }
    guard !authorizationCode.reveal().isEmpty else {
      throw AuthError(
        .invalidArgument, "the authorization code is empty",
        hint: "pass the code that Apple gave with the newest sign-in")
    }
    _ = try await backend.call(
      .revokeToken,
      [
        "providerId": "apple.com",
        // The enum value of CODE as a string, as the Apple SDK sends it.
        "tokenType": "3", "token": .string(authorizationCode.reveal()),
        "idToken": .string(try await user.getIDToken().reveal()),
      ], tenantID: tenantID)
  }

  /// Sets the language for e-mails and SMS from the environment.
  ///
  /// As in POSIX, the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is not empty counts. If it has no language, as
  /// in `C`, the project chooses.
  public func useAppLanguage(of environment: [String: String]) {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }
      .first { !$0.isEmpty }
    languageCode = locale.flatMap(Self.languageTag)
  }

  /// The BCP 47 tag of a POSIX locale: `de-AT` for `de_AT.UTF-8@euro`.
  static func languageTag(of locale: String) -> String? {
    let name = locale.prefix { $0 != "." && $0 != "@" }
    let parts = name.split(separator: "_", omittingEmptySubsequences: false)
    guard parts.count <= 2, let language = parts.first, (2...3).contains(language.utf8.count),
      parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isLetterOrDigit) })
    else { return nil }
    return parts.joined(separator: "-")
  }

  /// Calls a function with the current user: at once, and whenever another user is current.
  ///
  /// The function runs inside the operation that made the change. It should record the user and act later.
  public func addStateDidChangeListener(_ hear: @escaping (User?) -> Void) -> AuthListener {
    add(AuthListener(hearsTokens: false, hear))
  }

  /// Calls a function with the current user: at once, at each sign-in and sign-out, and at each new ID token.
  ///
  /// As with the other listener, the function should record the user and act later.
  public func addIDTokenDidChangeListener(_ hear: @escaping (User?) -> Void) -> AuthListener {
    add(AuthListener(hearsTokens: true, hear))
  }

  /// Removes a listener; does nothing when it was removed before.
  public func remove(_ listener: AuthListener) {
    listeners.removeAll { $0 === listener }
  }

  private func add(_ listener: AuthListener) -> AuthListener {
    listeners.append(listener)
    listener.tell(currentUser)
    return listener
  }

  /// Calls all listeners with the current user.
  func announce() {
    announcedToken = currentUser?.session.idToken
    // Iterate over a copy: a listener may add or remove listeners.
    for listener in listeners { listener.tell(currentUser) }
  }

  /// Calls all listeners if the current user's ID token has changed.
  func tokensChanged(of user: User) {
    guard currentUser === user, announcedToken != user.session.idToken else { return }
    announce()
  }
}

/// A function that is called with the current user, from when it is added to an Auth until it is removed.
public final class AuthListener {
  private let hearsTokens: Bool
  private let hear: (User?) -> Void
  private var heard: ExactUser?

  init(hearsTokens: Bool, _ hear: @escaping (User?) -> Void) {
    self.hearsTokens = hearsTokens
    self.hear = hear
  }

  /// Reports the current user; a listener for users only is called for another uid only.
  func tell(_ user: User?) {
    let isKnown = heard.map { $0.isSame(as: user) } ?? false
    heard = ExactUser(uid: user?.uid)
    if hearsTokens || !isKnown { hear(user) }
  }

  /// Sets the last reported user to none, without a call.
  func reset() { heard = ExactUser(uid: nil) }

  /// The user at the listener's last call.
  private struct ExactUser {
    let uid: String?

    func isSame(as user: User?) -> Bool {
      guard let user, let uid else { return user == nil && self.uid == nil }
      return user.hasID(uid)
    }
  }
}

/// The clock for the times in tokens and for their expiry.
public protocol AuthClock {
  /// Seconds since 1970.
  var now: Int64 { get }
}

/// The clock of this machine.
public struct SystemClock: AuthClock, Sendable {
  /// Creates the clock.
  public init() {}

  /// Seconds since 1970.
  public var now: Int64 { Timestamp.now / 1000 }
}
