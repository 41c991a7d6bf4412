internal import Encoding
internal import OIDC

/// The refresh tokens that are alive, and those that were: a dead one has its own refusal.
struct RefreshSessions {
  enum State {
    case alive(RefreshSession)
    case revoked
    case unknown
  }

  private var alive: [ExactString: RefreshSession] = [:]
  private var tokensByUID: [ExactString: [ExactString]] = [:]
  private var dead: Set<ExactString> = []

  /// Starts a session and returns its token.
  mutating func start(_ session: RefreshSession) -> String {
    let token = SecureRandom.token(bytes: 48)
    alive[ExactString(string: token)] = session
    tokensByUID[ExactString(string: session.uid), default: []].append(ExactString(string: token))
    return token
  }

  func state(of token: String) -> State {
    let key = ExactString(string: token)
    if let session = alive[key] { return .alive(session) }
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
