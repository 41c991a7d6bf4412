import IdentityToolkit
public import System

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

  /// Changes the display name and the photo URL.
  public func updateProfile(
    displayName: ProfileChange = .keep, photoURL: ProfileChange = .keep
  ) async throws(AuthError) {
    var body: JSONObject = ["returnSecureToken": true]
    var deleted: [JSON] = []
    // The backend stores an empty value as an empty string; deleting the attribute removes it.
    for (change, field, attribute) in [
      (displayName, "displayName", "DISPLAY_NAME"), (photoURL, "photoUrl", "PHOTO_URL"),
    ] {
      switch change {
      case .keep: break
      case .clear, .set(""): deleted.append(.string(attribute))
      case .set(let value): body[field] = .string(value)
      }
    }
    if !deleted.isEmpty { body["deleteAttribute"] = .array(deleted) }
    guard body.count > 1 else { return }
    try await update(body)
  }

  /// Changes the e-mail address; needs a recent sign-in.
  ///
  /// Refused with e-mail enumeration protection: the new address must be verified first.
  public func updateEmail(_ email: String) async throws(AuthError) {
    guard !email.isEmpty else { throw AuthError(.missingEmail) }
    do {
      try await update(["email": .string(email), "returnSecureToken": true])
    } catch {
      throw error.code == .emailAlreadyInUse ? error.about(email: email) : error
    }
  }

  /// Changes or sets the password, which ends all other sessions; needs a recent sign-in.
  public func updatePassword(_ password: Secret) async throws(AuthError) {
    guard !password.reveal().isEmpty else {
      throw AuthError(.weakPassword, "the new password is empty")
    }
    try await update(["password": .string(password.reveal()), "returnSecureToken": true])
  }

  /// Deletes the account and signs the user out; needs a recent sign-in.
  public func delete() async throws(AuthError) {
    let idToken = try await getIDToken()
    // Not a call as this user: an error leaves the user signed in, to reauthenticate.
    _ = try await backend.call(
      .delete, ["idToken": .string(idToken.reveal()), "localId": .string(uid)], tenantID: tenantID)
    auth?.forget(uid)
  }

  private func update(_ body: JSONObject) async throws(AuthError) {
    let answer = try await call(.update, body)
    // A change that revokes the old tokens returns new ones.
    try await adoptTokens(of: answer)
  }
}

extension User: CustomStringConvertible, CustomReflectable {
  /// The user id.
  public var description: String { "user \(uid)" }

  /// Shows the user id and no tokens.
  public var customMirror: Mirror { Mirror(self, children: ["uid": uid]) }
}

/// A change of one profile field.
public enum ProfileChange: Sendable, Equatable {
  case keep
  /// Removes the value.
  case clear
  /// Sets a value; an empty one removes it.
  case set(String)
}

/// The user's data at one linked provider.
public struct UserInfo: Sendable {
  /// The provider's id.
  public let providerID: String

  /// The user's id at the provider.
  public let uid: String

  /// The display name.
  public let displayName: String?

  /// The URL of the photo.
  public let photoURL: String?

  /// The e-mail address at the provider.
  public let email: String?

  /// The phone number.
  public let phoneNumber: String?

  init?(_ json: JSON) {
    guard let providerID = json["providerId"]?.string, !providerID.isEmpty else { return nil }
    self.providerID = providerID
    // The Web SDK reads `rawId`, the Apple SDK `federatedId`, which may be a URL that contains the id.
    uid = json["rawId"]?.string ?? json["federatedId"]?.string ?? ""
    displayName = json["displayName"]?.string
    photoURL = json["photoUrl"]?.string
    email = json["email"]?.string
    phoneNumber = json["phoneNumber"]?.string
  }
}

/// When an account was created and last used.
public struct UserMetadata: Sendable, Equatable {
  /// When the account was created, in milliseconds since 1970.
  public let creationDate: Int64?

  /// When the user last signed in, in milliseconds since 1970.
  public let lastSignInDate: Int64?

  init(_ account: JSONObject) {
    creationDate = account["createdAt"]?.wholeNumber
    lastSignInDate = account["lastLoginAt"]?.wholeNumber
  }
}
