internal import System
internal import HTTP
internal import OIDC
internal import Synchronization

/// The RSA keys of an emulator, generated when first needed because one takes longer than the emulator's start.
///
/// Emulators may share them. A token still belongs to one project, by its audience and issuer.
public final class SigningKeys: Sendable {
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

  private struct Pair {
    let key: SigningKey
    let verifiers: KeySet
  }

  private final class Slot: Sendable {
    let pair = Guarded<Pair?>(nil)
    /// Whether `pair` exists, for callers that must not wait while another thread generates it.
    let isMade = Atomic(false)
  }

  private let slots = Guarded<[Purpose: Slot]>([:])
  /// The number of `settle` calls; each cancels all earlier preparations.
  private let round = Atomic(0)
  private let madeCount = Atomic(0)

  /// An empty set of keys.
  public init() {}

  /// The key for `purpose`; the first call generates it, and concurrent calls wait for that.
  func key(for purpose: Purpose) throws(JOSEError) -> SigningKey {
    try pair(for: purpose).key
  }

  func verifiers(for purpose: Purpose) throws(JOSEError) -> KeySet {
    try pair(for: purpose).verifiers
  }

  /// The public half of the key as a JWK set.
  func keySet(for purpose: Purpose) throws(JOSEError) -> JSON {
    ["keys": [.object(try key(for: purpose).publicJWK)]]
  }

  /// Generates a key on another thread, for a caller that will need it soon.
  ///
  /// The thread has the default priority: a request waits for the key, and on a busy machine a low-priority thread
  /// needs half a minute. `settle` cancels it.
  func prepare(_ purpose: Purpose) {
    let round = round.load(ordering: .relaxed)
    Task.detached {
      let isWanted = { self.round.load(ordering: .relaxed) == round }
      if isWanted() { _ = try? self.pair(for: purpose, while: isWanted) }
    }
  }

  /// The number of finished keys.
  var count: Int { madeCount.load(ordering: .acquiring) }

  /// The finished keys.
  var all: [(purpose: Purpose, key: SigningKey)] {
    slots.withLock { $0 }.compactMap { purpose, slot in
      // Does not wait for a key that another thread is generating.
      slot.isMade.load(ordering: .acquiring)
        ? slot.pair.withLock { $0?.key }.map { (purpose, $0) } : nil
    }
  }

  /// Restores a key of an earlier run, before its first use.
  func adopt(_ key: SigningKey, for purpose: Purpose) {
    let slot = slot(for: purpose)
    slot.pair.withLock { $0 = Pair(key: key, verifiers: KeySet([key])) }
    slot.isMade.store(true, ordering: .releasing)
    madeCount.add(1, ordering: .releasing)
  }

  /// Cancels the generation of keys and waits for its end, so that the process does not exit in the middle of one.
  func settle() {
    round.wrappingAdd(1, ordering: .relaxed)
    for slot in slots.withLock({ Array($0.values) }) { slot.pair.withLock { _ in } }
  }

  private func slot(for purpose: Purpose) -> Slot {
    slots.withLock { slots in
      if let slot = slots[purpose] { return slot }
      let slot = Slot()
      slots[purpose] = slot
      return slot
    }
  }

  private func pair(
    for purpose: Purpose, while isWanted: () -> Bool = { true }
  ) throws(JOSEError) -> Pair {
    let slot = slot(for: purpose)
    let made = slot.pair.withLock { (pair: inout Pair?) -> Result<Pair, JOSEError> in
      if let pair { return .success(pair) }
      do throws(JOSEError) {
        let key = try SigningKey.generate(while: isWanted)
        let fresh = Pair(key: key, verifiers: KeySet([key]))
        pair = fresh
        slot.isMade.store(true, ordering: .releasing)
        madeCount.add(1, ordering: .releasing)
        return .success(fresh)
      } catch {
        return .failure(error)
      }
    }
    return try made.get()
  }
}
