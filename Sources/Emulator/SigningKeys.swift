internal import Encoding
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
  }

  private struct Pair {
    let key: SigningKey
    let verifiers: KeySet
  }

  private final class Slot: Sendable {
    let pair = Mutex<Pair?>(nil)
    /// Says to a thread that waited what the mutex says already, but where the thread sanitizer can see it:
    /// the waiting half of `Mutex` is inside the standard library.
    let isMade = Atomic(false)
  }

  private let slots = Mutex<[Purpose: Slot]>([:])
  /// Counts the calls of `settle`, each of which makes earlier preparations pointless.
  private let round = Atomic(0)

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
  func prepare(_ purpose: Purpose) {
    let round = round.load(ordering: .relaxed)
    Task.detached(priority: .background) {
      _ = try? self.pair(for: purpose) { self.round.load(ordering: .relaxed) == round }
    }
  }

  /// Gives up keys that are being prepared, and waits until that has happened, so that the process does not
  /// end in the middle of one.
  func settle() {
    round.wrappingAdd(1, ordering: .relaxed)
    for slot in slots.withLock({ Array($0.values) }) { slot.pair.withLock { _ in } }
  }

  private func pair(
    for purpose: Purpose, while isWanted: () -> Bool = { true }
  ) throws(JOSEError) -> Pair {
    let slot = slots.withLock { slots in
      if let slot = slots[purpose] { return slot }
      let slot = Slot()
      slots[purpose] = slot
      return slot
    }
    let made = slot.pair.withLock { (pair: inout Pair?) -> Result<Pair, JOSEError> in
      if slot.isMade.load(ordering: .acquiring), let pair { return .success(pair) }
      do throws(JOSEError) {
        let key = try SigningKey.generate(while: isWanted)
        let fresh = Pair(key: key, verifiers: KeySet([key]))
        pair = fresh
        slot.isMade.store(true, ordering: .releasing)
        return .success(fresh)
      } catch {
        return .failure(error)
      }
    }
    return try made.get()
  }
}
