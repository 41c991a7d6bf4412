public import Encoding
import IdentityToolkit

/// A signed-in user: the profile, the linked providers and the tokens.
///
/// Each sign-in makes a new one. It keeps working for its own account when another user has become
/// the current one.
public final class User {
  /// The identifier, as security rules see it.
  public let uid: String

  /// The tenant the user belongs to.
  public let tenantID: String?

  /// Whether the account has no way to sign in again.
  public internal(set) var isAnonymous: Bool

  /// The e-mail address.
  public private(set) var email: String?

  /// Whether the e-mail address is known to be the user's.
  public private(set) var isEmailVerified = false

  /// The name to show.
  public private(set) var displayName: String?

  /// Where the picture is.
  public private(set) var photoURL: String?

  /// The phone number.
  public private(set) var phoneNumber: String?

  /// What each linked provider tells, in no order that means anything: look them up by provider.
  public private(set) var providerData: [UserInfo] = []

  /// When the account was made and last used.
  public private(set) var metadata: UserMetadata

  /// Whether the account can sign in with a password.
  public private(set) var hasPassword = false

  /// The second factors that a sign-in asks for, as the account was when it was last read.
  public private(set) var enrolledFactors: [MultiFactorInfo] = []

  let backend: Backend
  let session: Session
  /// Where the session is kept beyond this process; nil when it is not.
  var store: (any SessionStore)?
  /// The Auth that signed the user in, as long as somebody holds it.
  public internal(set) weak var auth: Auth?
  /// What the backend told about the account last.
  private var lastAccount: JSONObject

  /// Makes a user from a fresh session, once the backend has told who it is.
  convenience init(
    session: Session, account: JSONObject, isAnonymous: Bool, tenantID: String?, auth: Auth
  ) throws(AuthError) {
    try self.init(
      session: session, account: account, isAnonymous: isAnonymous, tenantID: tenantID,
      backend: auth.backend)
    self.auth = auth
  }

  /// Makes a user who belongs to no Auth yet.
  init(
    session: Session, account: JSONObject, isAnonymous: Bool, tenantID: String?, backend: Backend
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

  /// The same user as one of another Auth; from here on each has its own tokens.
  convenience init(copying user: User, into auth: Auth) throws(AuthError) {
    try self.init(
      session: Session(user.session.tokens), account: user.lastAccount,
      isAnonymous: user.isAnonymous, tenantID: user.tenantID, auth: auth)
  }

  /// Who asks on the user's behalf what takes no token: the Auth that signed the user in, or another
  /// one of the same project and tenant when nobody holds that any more.
  public var authOfProject: Auth { auth ?? Auth(ofProjectOf: self) }

  /// The refresh token, with which anyone can act as this user.
  public var refreshToken: Secret { session.refreshToken }

  /// What the provider with this id tells, or nil when it is not linked.
  public func providerData(of providerID: String) -> UserInfo? {
    providerData.first { ExactString($0.providerID) == ExactString(providerID) }
  }

  func hasID(_ uid: String) -> Bool { ExactString(self.uid) == ExactString(uid) }

  func isOf(tenant: String?) -> Bool {
    tenantID.map { ExactString($0) } == tenant.map { ExactString($0) }
  }

  /// Takes over what the backend tells about the account; what it leaves out is not set.
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
  /// The identifier.
  public var description: String { "user \(uid)" }

  /// Shows the identifier and no tokens.
  public var customMirror: Mirror { Mirror(self, children: ["uid": uid]) }
}
