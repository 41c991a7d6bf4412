internal import System
internal import HTTP
internal import OIDC
internal import Synchronization

/// The RSA keys of an emulator.
///
/// Generating a key pair takes longer than most journeys, so one pair signs all tokens, each kind under its own key id,
/// and it is generated on a separate thread as soon as an emulator starts. Emulators may share the keys. A token still
/// belongs to one project or provider, by its key id, audience and issuer.
public final class SigningKeys: Sendable {
  /// The key pairs.
  enum Pair: String, Sendable {
    /// Its private half never leaves the emulator.
    case tokens
    /// Separate, because callers can fetch its private half.
    case serviceAccount
  }

  /// What a key signs; the wire has a different key set for each.
  enum Purpose: Hashable, Sendable {
    case idTokens
    case sessionCookies
    /// Custom tokens, signed by a caller that fetched the service account.
    case serviceAccount
    /// ID tokens of one emulated server, so that no provider can sign for another one.
    case identityProvider(String)

    private static let providerStart = "identityProvider/"

    /// The key's name in a state file.
    var name: String {
      switch self {
      case .idTokens: "idTokens"
      case .sessionCookies: "sessionCookies"
      case .serviceAccount: "serviceAccount"
      case .identityProvider(let id): Self.providerStart + id
      }
    }

    var pair: Pair { self == .serviceAccount ? .serviceAccount : .tokens }

    /// The inverse of `name`; nil for an unknown name.
    init?(name: String) {
      if name.hasPrefix(Self.providerStart) {
        self = .identityProvider(String(name.dropFirst(Self.providerStart.count)))
      } else if let purpose = [Self.idTokens, .sessionCookies, .serviceAccount].first(where: {
        $0.name == name
      }) {
        self = purpose
      } else {
        return nil
      }
    }
  }

  private struct Entry {
    let key: SigningKey
    let verifiers: KeySet

    init(_ key: SigningKey) {
      self.key = key
      verifiers = KeySet([key])
    }
  }

  private struct State {
    var pairs: [Pair: SigningKey] = [:]
    /// The keys of the pairs under the key ids of their purposes, and adopted keys.
    var entries: [Purpose: Entry] = [:]
    var adopted: Set<Purpose> = []
    /// The pairs that a thread generates, and the tasks that wait for them.
    var waiting: [Pair: [CheckedContinuation<Void, Never>]] = [:]
    /// The number of emulators that serve requests.
    var users = 0
  }

  private let state = Guarded(State())
  /// Held while a pair is generated.
  private let generation = Guarded(())
  private let hasTokens = Atomic(false)
  private let delays = Atomic(0)
  private let cache: KeyCache?

  /// An empty set of keys.
  ///
  /// - Parameter cache: Where to look for the pairs of an earlier process, and to store new ones; nil for nowhere.
  public init(cache: KeyCache? = nil) {
    self.cache = cache
  }

  // MARK: Use

  /// The key for `purpose`.
  ///
  /// The caller awaits `made` first. Otherwise the key is generated here, which delays everything else on this thread.
  func key(for purpose: Purpose) throws(JOSEError) -> SigningKey {
    try entry(for: purpose).key
  }

  func verifiers(for purpose: Purpose) throws(JOSEError) -> KeySet {
    try entry(for: purpose).verifiers
  }

  /// The verifiers of `purpose`; nil if its key pair does not exist, so that it has signed nothing.
  func existingVerifiers(for purpose: Purpose) -> KeySet? {
    guard isMade(purpose.pair) else { return nil }
    return try? verifiers(for: purpose)
  }

  /// The public half of the key as a JWK set.
  func keySet(for purpose: Purpose) throws(JOSEError) -> JSON {
    ["keys": [.object(try key(for: purpose).publicJWK)]]
  }

  /// How many times a caller of `key(for:)` was delayed by the generation of a key.
  var delayCount: Int { delays.load(ordering: .relaxed) }

  private func entry(for purpose: Purpose) throws(JOSEError) -> Entry {
    let known = state.withLock { $0.entries[purpose] }
    if let known { return known }
    let pair = try key(of: purpose.pair)
    // The default id of a key is its thumbprint; those of further purposes are derived from it, so that they are the
    // same in a later process.
    let entry =
      switch purpose {
      case .idTokens, .serviceAccount: Entry(pair)
      case .sessionCookies, .identityProvider:
        Entry(
          try pair.named(
            Base64URL.encode(Digest.sha256(Array("\(pair.keyID) \(purpose.name)".utf8)))))
      }
    return state.withLock { state in
      // Another thread may have been faster, or a state file may have had another key.
      if let known = state.entries[purpose] { return known }
      state.entries[purpose] = entry
      return entry
    }
  }

  private func key(of pair: Pair) throws(JOSEError) -> SigningKey {
    if let key = state.withLock({ $0.pairs[pair] }) { return key }
    delays.add(1, ordering: .relaxed)
    return try generate(pair, while: { true }).get()
  }

  // MARK: Generation

  /// Whether a pair exists.
  func isMade(_ pair: Pair) -> Bool {
    if pair == .tokens { return hasTokens.load(ordering: .acquiring) }
    return state.withLock { $0.pairs[pair] != nil }
  }

  /// Starts to generate the pair for tokens on another thread, for an emulator that begins to serve requests.
  ///
  /// Balance it with `settle`. A later sign-in then need not wait.
  func use(preparing pair: Pair?) {
    state.withLock { $0.users += 1 }
    if let pair { prepare(pair) }
  }

  /// Waits until a pair exists, without blocking the thread.
  ///
  /// Returns without one if it cannot be generated, or if no emulator needs it any more.
  func made(_ pair: Pair) async {
    prepare(pair)
    await withCheckedContinuation { continuation in
      let isWaiting = state.withLock { state in
        guard state.waiting[pair] != nil else { return false }
        state.waiting[pair]?.append(continuation)
        return true
      }
      if !isWaiting { continuation.resume() }
    }
  }

  /// Cancels the generation of keys and waits for its end, unless other emulators need them.
  ///
  /// So the process does not exit in the middle of one.
  func settle() {
    let users = state.withLock { state in
      state.users -= 1
      return state.users
    }
    if users == 0 { generation.withLock { _ in } }
  }

  private func prepare(_ pair: Pair) {
    let isNew = state.withLock { state in
      guard state.pairs[pair] == nil, state.waiting[pair] == nil else { return false }
      state.waiting[pair] = []
      return true
    }
    guard isNew else { return }
    // A thread of the default priority, because requests wait for the key. It is not one of the few threads that all
    // tasks share.
    do throws(SystemError) {
      try SystemThread.start(name: "keys") { [self] in makeAhead(pair) }
    } catch {
      makeAhead(pair)
    }
  }

  private func makeAhead(_ pair: Pair) {
    _ = generate(pair, while: { self.state.withLock { $0.users > 0 } })
    // Few processes need the other pair. With a cache it is generated once in many processes.
    if cache != nil, pair == .tokens, isMade(.tokens) { prepare(.serviceAccount) }
  }

  private func generate(
    _ pair: Pair, while isWanted: () -> Bool
  ) -> Result<SigningKey, JOSEError> {
    generation.withLock { _ in
      defer { endWaiting(for: pair) }
      if let key = state.withLock({ $0.pairs[pair] }) { return .success(key) }
      if let key = cache?.read(pair.rawValue) { return .success(add(key, as: pair)) }
      do throws(JOSEError) {
        let key = add(try SigningKey.generate(while: isWanted), as: pair)
        // Requests need not wait until the file is on the disk.
        endWaiting(for: pair)
        cache?.write(key, pair.rawValue)
        return .success(key)
      } catch {
        return .failure(error)
      }
    }
  }

  private func endWaiting(for pair: Pair) {
    let waiting = state.withLock { $0.waiting.removeValue(forKey: pair) } ?? []
    for continuation in waiting { continuation.resume() }
  }

  private func add(_ key: SigningKey, as pair: Pair) -> SigningKey {
    state.withLock { $0.pairs[pair] = key }
    if pair == .tokens { hasTokens.store(true, ordering: .releasing) }
    return key
  }

  // MARK: State files

  /// The number of keys in `all`.
  var count: Int { state.withLock { $0.pairs.count + $0.adopted.count } }

  /// The keys that a later process needs to continue with them.
  var all: [(purpose: Purpose, key: SigningKey)] {
    state.withLock { state in
      state.pairs.map { ($0 == .tokens ? .idTokens : .serviceAccount, $1) }
        + state.adopted.compactMap { purpose in state.entries[purpose].map { (purpose, $0.key) } }
    }
  }

  /// Restores a key of an earlier run, before its first use.
  ///
  /// State files of luath 0.2 and earlier have a key pair for each purpose.
  func adopt(_ key: SigningKey, for purpose: Purpose) {
    switch purpose {
    case .idTokens, .serviceAccount: _ = add(key, as: purpose.pair)
    case .sessionCookies, .identityProvider:
      state.withLock { state in
        state.entries[purpose] = Entry(key)
        state.adopted.insert(purpose)
      }
    }
  }
}
