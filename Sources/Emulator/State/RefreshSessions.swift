internal import Encoding
internal import OIDC

/// The refresh tokens that are alive, and the last ones that were: a dead one has its own refusal.
struct RefreshSessions {
  enum State {
    case alive(uid: String, SignInSession)
    case revoked
    case unknown
  }

  /// Where changes are recorded; nil when nothing is to outlive the process.
  private let shelf: Shelf?
  private var alive: [ExactString: (uid: String, session: SignInSession)] = [:]
  private var tokensByUID: [ExactString: [ExactString]] = [:]
  private var dead: Set<ExactString> = []
  /// The dead tokens from the oldest to the newest, in a ring whose oldest place is used next once it is full.
  private var ring: [ExactString] = []
  private var oldest = 0
  private let maximumDead: Int

  /// - Parameter maximumDead: How many dead tokens are remembered; an older one is unknown again.
  init(on shelf: Shelf?, maximumDead: Int = 10_000) {
    self.shelf = shelf
    self.maximumDead = maximumDead
  }

  /// Starts a session and returns its token.
  mutating func start(_ session: SignInSession, uid: String) -> String {
    let token = SecureRandom.token(bytes: 48)
    add(session, uid: uid, token: token)
    shelf?.put(["uid": .string(uid), "session": .object(session.record)], under: token)
    return token
  }

  private mutating func add(_ session: SignInSession, uid: String, token: String) {
    alive[ExactString(string: token)] = (uid, session)
    tokensByUID[ExactString(string: uid), default: []].append(ExactString(string: token))
  }

  /// Takes over a token of an earlier run; false when its record is none.
  mutating func restore(_ record: JSONObject, token: String) -> Bool {
    guard let uid = record["uid"]?.string else {
      guard record.isEmpty else { return false }
      remember(dead: ExactString(string: token))
      return true
    }
    guard let object = record["session"]?.object, let session = SignInSession(record: object)
    else { return false }
    add(session, uid: uid, token: token)
    return true
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
      remember(dead: token)
      // An empty record: all that is known of a dead token is that it was alive.
      shelf?.put(JSONObject(), under: token.string)
    }
  }

  private mutating func remember(dead token: ExactString) {
    guard dead.insert(token).inserted else { return }
    guard ring.count == maximumDead else { return ring.append(token) }
    let forgotten = ring[oldest]
    dead.remove(forgotten)
    shelf?.remove(forgotten.string)
    ring[oldest] = token
    oldest = (oldest + 1) % maximumDead
  }

  /// Forgets all tokens, so that none was ever known.
  mutating func removeAll() {
    shelf?.removeAll()
    self = RefreshSessions(on: shelf, maximumDead: maximumDead)
  }
}
