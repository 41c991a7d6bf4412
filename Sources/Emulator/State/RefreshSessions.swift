internal import System
internal import OIDC

/// The refresh tokens of the accounts, and the newest ones of deleted accounts.
///
/// Revoked tokens of an account that stays are among its tokens, because `validSince` can be moved back.
struct RefreshSessions {
  enum State {
    case alive(uid: String, SignInSession)
    /// The account was deleted, or replaced by another with the same uid.
    case orphaned(uid: String)
    case unknown
  }

  /// Writes changes to the state file; nil if state is not saved.
  private let shelf: CollectionWriter?
  private var alive: [ExactString: (uid: String, session: SignInSession)] = [:]
  private var tokensByUID: [ExactString: [ExactString]] = [:]
  /// The uids of dead tokens: their accounts were deleted or replaced.
  private var dead: [ExactString: String] = [:]
  /// The dead tokens in a ring buffer: once it is full, the next token overwrites the oldest.
  private var ring: [ExactString] = []
  private var oldest = 0
  private let maximumDead: Int
  private let maximumPerAccount: Int

  /// - Parameters:
  ///   - maximumDead: How many dead tokens are remembered; older ones become unknown.
  ///   - maximumPerAccount: How many tokens an account may have, revoked ones included; older ones become unknown.
  init(on shelf: CollectionWriter?, maximumDead: Int = 10_000, maximumPerAccount: Int = 1000) {
    self.shelf = shelf
    self.maximumDead = maximumDead
    self.maximumPerAccount = maximumPerAccount
  }

  mutating func start(_ session: SignInSession, uid: String) -> String {
    let token = SecureRandom.token(bytes: 48)
    add(session, uid: uid, token: token)
    shelf?.put(["uid": .string(uid), "session": .object(session.record)], under: token)
    return token
  }

  private mutating func add(_ session: SignInSession, uid: String, token: String) {
    alive[ExactString(string: token)] = (uid, session)
    let surplus = Self.append(
      ExactString(string: token), to: &tokensByUID[ExactString(string: uid), default: []],
      limit: maximumPerAccount)
    guard let surplus else { return }
    alive[surplus] = nil
    shelf?.remove(surplus.string)
  }

  /// Appends a token to those of an account, and returns the oldest when it has to go.
  private static func append(
    _ token: ExactString, to tokens: inout [ExactString], limit: Int
  ) -> ExactString? {
    tokens.append(token)
    return tokens.count > limit ? tokens.removeFirst() : nil
  }

  /// Restores a token of an earlier run; returns false if its record is invalid.
  mutating func restore(_ record: JSONObject, token: String) -> Bool {
    // Records of earlier versions have no uid for a dead token.
    guard let uid = record["uid"]?.string ?? (record.isEmpty ? "" : nil) else { return false }
    guard let kept = record["session"] else {
      remember(dead: ExactString(string: token), uid: uid)
      return true
    }
    guard let object = kept.object, let session = SignInSession(record: object) else {
      return false
    }
    add(session, uid: uid, token: token)
    return true
  }

  func state(of token: String) -> State {
    let key = ExactString(string: token)
    if let found = alive[key] { return .alive(uid: found.uid, found.session) }
    return dead[key].map { .orphaned(uid: $0) } ?? .unknown
  }

  /// Ends every session of an account that is deleted or replaced.
  ///
  /// The sessions of an account that stays are ended by its `validSince`, which can be moved back.
  mutating func revoke(uid: String) {
    for token in tokensByUID.removeValue(forKey: ExactString(string: uid)) ?? [] {
      alive[token] = nil
      remember(dead: token, uid: uid)
      // A record without a session marks a dead token.
      shelf?.put(["uid": .string(uid)], under: token.string)
    }
  }

  private mutating func remember(dead token: ExactString, uid: String) {
    guard dead.updateValue(uid, forKey: token) == nil else { return }
    guard ring.count == maximumDead else { return ring.append(token) }
    let forgotten = ring[oldest]
    dead[forgotten] = nil
    shelf?.remove(forgotten.string)
    ring[oldest] = token
    oldest = (oldest + 1) % maximumDead
  }

  /// Forgets all tokens, dead ones included.
  mutating func removeAll() {
    shelf?.removeAll()
    self = RefreshSessions(
      on: shelf, maximumDead: maximumDead, maximumPerAccount: maximumPerAccount)
  }
}

/// The claims of one sign-in's tokens that do not come from the account.
struct SignInSession: Sendable {
  /// The provider of the sign-in: `password`, `anonymous`, `custom`, `phone`, `passkey`, or an
  /// id such as `microsoft.com`.
  let provider: String
  /// When the user last authenticated, in seconds since 1970; refreshing a token does not change it.
  var authTime: Int64
  /// Claims of a custom token or a blocking function, valid as long as the session.
  var extraClaims = JSONObject()
  var secondFactor: UsedFactor?
  /// Attributes of a SAML or OIDC response, shown as `firebase.sign_in_attributes`.
  var attributes: JSON?

  struct UsedFactor: Sendable {
    /// The enrollment id.
    let id: String
    /// `phone` or `totp`.
    let provider: String
  }
}

extension SignInSession {
  /// Continues a session with another provider.
  init(continuing session: SignInSession, provider: String) {
    self.init(provider: provider, authTime: session.authTime)
    extraClaims = session.extraClaims
    secondFactor = session.secondFactor
  }
}

extension SignInSession: Recorded {
  var record: JSONObject {
    var record: JSONObject = ["provider": .string(provider), "authTime": .integer(authTime)]
    if !extraClaims.isEmpty { record["extraClaims"] = .object(extraClaims) }
    if let secondFactor {
      record["secondFactor"] = [
        "id": .string(secondFactor.id), "provider": .string(secondFactor.provider),
      ]
    }
    if let attributes { record["attributes"] = attributes }
    return record
  }

  init?(record: JSONObject) {
    guard let provider = record["provider"]?.string, let authTime = record["authTime"]?.integer
    else { return nil }
    self.init(provider: provider, authTime: authTime)
    extraClaims = record["extraClaims"]?.object ?? JSONObject()
    if let factor = record["secondFactor"] {
      guard let id = factor["id"]?.string, let provider = factor["provider"]?.string else {
        return nil
      }
      secondFactor = UsedFactor(id: id, provider: provider)
    }
    attributes = record["attributes"]
  }
}
