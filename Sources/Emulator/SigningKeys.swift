internal import Encoding
internal import HTTP
internal import OIDC
import Synchronization

/// The RSA keys of an emulator, made when first needed: generating one takes longer than starting up.
///
/// Emulators may share them. A token still belongs to one project, by its audience and issuer.
public final class SigningKeys: Sendable {
  /// What a key signs; the wire shows a different key set for each.
  enum Purpose: Hashable, Sendable {
    /// Firebase ID tokens.
    case idTokens
    /// Session cookies.
    case sessionCookies
    /// Custom tokens, signed by whoever fetched the service account.
    case serviceAccount
    /// ID tokens of one emulated server: no two providers can sign for each other.
    case identityProvider(String)

    private static let providerStart = "identityProvider/"

    /// The name a state file has for the key.
    var name: String {
      switch self {
      case .idTokens: "idTokens"
      case .sessionCookies: "sessionCookies"
      case .serviceAccount: "serviceAccount"
      case .identityProvider(let id): Self.providerStart + id
      }
    }

    /// Reads a name back; nil when it is none.
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
    /// Whether `pair` is there, for who does not want to wait while another thread makes it.
    let isMade = Atomic(false)
  }

  private let slots = Guarded<[Purpose: Slot]>([:])
  /// Counts the calls of `settle`, each of which makes earlier preparations pointless.
  private let round = Atomic(0)
  private let madeCount = Atomic(0)

  /// Keys that are yet to be made.
  public init() {}

  /// The key for `purpose`; the first call generates it, and a second one meanwhile waits for the first.
  func key(for purpose: Purpose) throws(JOSEError) -> SigningKey {
    try pair(for: purpose).key
  }

  /// What checks signatures of the key.
  func verifiers(for purpose: Purpose) throws(JOSEError) -> KeySet {
    try pair(for: purpose).verifiers
  }

  /// The public half of the key as a JWK set.
  func keySet(for purpose: Purpose) throws(JOSEError) -> JSON {
    ["keys": [.object(try key(for: purpose).publicJWK)]]
  }

  /// Makes a key ready on another thread, for a caller that will need it soon.
  ///
  /// The thread has the usual priority: a request waits for it, and on a busy machine one of low priority
  /// needs half a minute. Nothing is done for a caller that is gone by then.
  func prepare(_ purpose: Purpose) {
    let round = round.load(ordering: .relaxed)
    Task.detached {
      let isWanted = { self.round.load(ordering: .relaxed) == round }
      if isWanted() { _ = try? self.pair(for: purpose, while: isWanted) }
    }
  }

  /// How many keys there are; those that are being made are not counted.
  var count: Int { madeCount.load(ordering: .acquiring) }

  /// The keys there are; those that are being made are left out.
  var all: [(purpose: Purpose, key: SigningKey)] {
    slots.withLock { $0 }.compactMap { purpose, slot in
      // Nobody waits here for a key that another thread is making.
      slot.isMade.load(ordering: .acquiring)
        ? slot.pair.withLock { $0?.key }.map { (purpose, $0) } : nil
    }
  }

  /// Takes a key over from an earlier run, before anybody asked for one.
  func adopt(_ key: SigningKey, for purpose: Purpose) {
    let slot = slot(for: purpose)
    slot.pair.withLock { $0 = Pair(key: key, verifiers: KeySet([key])) }
    slot.isMade.store(true, ordering: .releasing)
    madeCount.add(1, ordering: .releasing)
  }

  /// Gives up keys that are being prepared, and waits until that has happened, so that the process does not
  /// end in the middle of one.
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
