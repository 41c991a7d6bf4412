internal import Encoding
internal import OIDC

/// The refresh tokens that are alive, and those that were: a dead one has its own refusal.
struct RefreshSessions {
  enum State {
    case alive(uid: String, SignInSession)
    case revoked
    case unknown
  }

  private var alive: [ExactString: (uid: String, session: SignInSession)] = [:]
  private var tokensByUID: [ExactString: [ExactString]] = [:]
  private var dead: Set<ExactString> = []

  /// Starts a session and returns its token.
  mutating func start(_ session: SignInSession, uid: String) -> String {
    let token = SecureRandom.token(bytes: 48)
    alive[ExactString(string: token)] = (uid, session)
    tokensByUID[ExactString(string: uid), default: []].append(ExactString(string: token))
    return token
  }

  func state(of token: String) -> State {
    let key = ExactString(string: token)
    if let found = alive[key] { return .alive(uid: found.uid, found.session) }
    return dead.contains(key) ? .revoked : .unknown
  }

  /// Ends every session of an account.
  mutating func revoke(uid: String) {
    for token in tokensByUID.removeValue(forKey: ExactString(string: uid)) ?? [] {
      alive[token] = nil
      dead.insert(token)
    }
  }
}
