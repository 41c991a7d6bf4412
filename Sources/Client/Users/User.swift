public import System
import IdentityToolkit

/// A signed-in user: the profile, the linked providers and the tokens.
///
/// Each sign-in creates a new object. It still works for its own account after another user has become the current
/// one.
public final class User {
  /// The user id, as used in security rules.
  public let uid: String

  /// The user's tenant.
  public let tenantID: String?

  /// Whether the account is anonymous: it has no sign-in method.
  public internal(set) var isAnonymous: Bool

  /// The e-mail address.
  public private(set) var email: String?

  /// Whether the e-mail address is verified.
  public private(set) var isEmailVerified = false

  /// The display name.
  public private(set) var displayName: String?

  /// The URL of the photo.
  public private(set) var photoURL: String?

  /// The phone number.
  public private(set) var phoneNumber: String?

  /// The user's data at each linked provider, in no particular order.
  public private(set) var providerData: [UserInfo] = []

  /// When the account was created and last used.
  public private(set) var metadata: UserMetadata

  /// Whether the account can sign in with a password.
  private(set) var hasPassword = false

  /// The second factors, as of the last read of the account.
  public private(set) var enrolledFactors: [MultiFactorInfo] = []

  let backend: AuthContext
  let session: Session
  /// The store of the session; nil when it is not saved.
  var store: (any SessionStore)?
  /// The Auth that signed the user in, while it exists.
  weak var auth: Auth?
  /// The account as the backend last returned it.
  private var lastAccount: JSONObject

  /// A user from a new session and its account.
  convenience init(
    session: Session, account: JSONObject, isAnonymous: Bool, tenantID: String?, auth: Auth
  ) throws(AuthError) {
    try self.init(
      session: session, account: account, isAnonymous: isAnonymous, tenantID: tenantID,
      backend: auth.backend)
    self.auth = auth
  }

  /// A user without an Auth.
  init(
    session: Session, account: JSONObject, isAnonymous: Bool, tenantID: String?,
    backend: AuthContext
  ) throws(AuthError) {
    guard let uid = account["localId"]?.string, !uid.isEmpty else {
      throw AuthError(
        .internalError, "the backend's account has no identifier",
        hint: "check that the target is an Identity Toolkit backend")
    }
    self.uid = uid
    self.tenantID = tenantID
    self.isAnonymous = isAnonymous
    self.session = session
    self.backend = backend
    lastAccount = account
    self.metadata = UserMetadata(account)
    apply(account)
  }

  /// A copy of a user for another Auth; from here on each has its own tokens.
  convenience init(copying user: User, into auth: Auth) throws(AuthError) {
    try self.init(
      session: Session(user.session.tokens), account: user.lastAccount,
      isAnonymous: user.isAnonymous, tenantID: user.tenantID, auth: auth)
  }

  /// The Auth for calls that need no token.
  ///
  /// It is the Auth that signed the user in, or a new one for the same project and tenant when that no longer exists.
  public var authOfProject: Auth { auth ?? Auth(ofProjectOf: self) }

  /// The refresh token, with which anyone can act as this user.
  public var refreshToken: Secret { session.refreshToken }

  /// The user's data at the provider with this id; nil when it is not linked.
  func providerData(of providerID: String) -> UserInfo? {
    providerData.first { ExactString($0.providerID) == ExactString(providerID) }
  }

  func hasID(_ uid: String) -> Bool { ExactString(self.uid) == ExactString(uid) }

  func isOf(tenant: String?) -> Bool {
    tenantID.map { ExactString($0) } == tenant.map { ExactString($0) }
  }

  /// Updates the user from an account; missing fields become nil or false.
  func apply(_ account: JSONObject) {
    lastAccount = account
    email = account["email"]?.string
    isEmailVerified = account["emailVerified"]?.bool ?? false
    displayName = account["displayName"]?.string
    photoURL = account["photoUrl"]?.string
    phoneNumber = account["phoneNumber"]?.string
    providerData = (account["providerUserInfo"]?.array ?? []).compactMap(UserInfo.init)
    enrolledFactors = (account["mfaInfo"]?.array ?? []).compactMap(MultiFactorInfo.init)
    metadata = UserMetadata(account)
    hasPassword = account["passwordHash"]?.string?.isEmpty == false
    if !providerData.isEmpty || email != nil { isAnonymous = false }
  }
}

extension User: CustomStringConvertible, CustomReflectable {
  /// The user id.
  public var description: String { "user \(uid)" }

  /// Shows the user id and no tokens.
  public var customMirror: Mirror { Mirror(self, children: ["uid": uid]) }
}
