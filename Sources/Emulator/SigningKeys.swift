internal import Encoding
internal import OIDC
import Synchronization

/// The RSA keys of one emulator, made when first needed: generating one takes longer than starting up.
final class SigningKeys: Sendable {
  /// What a key signs; the wire shows a different key set for each.
  enum Purpose: Hashable, Sendable {
    /// Firebase ID tokens.
    case idTokens
    /// Custom tokens, signed by whoever fetched the service account.
    case serviceAccount
    /// ID tokens of the emulated Microsoft, Yahoo, Google and OIDC servers.
    case identityProviders
  }

  private struct Pair {
    let key: SigningKey
    let verifiers: KeySet
  }

  private let idTokens = Mutex<Pair?>(nil)
  private let serviceAccount = Mutex<Pair?>(nil)
  private let identityProviders = Mutex<Pair?>(nil)

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
    Task.detached { _ = try? self.key(for: purpose) }
  }

  /// Waits for keys that are being made, so that the process does not end in the middle of one.
  func settle() {
    idTokens.withLock { _ in }
    serviceAccount.withLock { _ in }
    identityProviders.withLock { _ in }
  }

  private func pair(for purpose: Purpose) throws(JOSEError) -> Pair {
    switch purpose {
    case .idTokens: try Self.pair(in: idTokens)
    case .serviceAccount: try Self.pair(in: serviceAccount)
    case .identityProviders: try Self.pair(in: identityProviders)
    }
  }

  private static func pair(in slot: borrowing Mutex<Pair?>) throws(JOSEError) -> Pair {
    let made = slot.withLock { (pair: inout Pair?) -> Result<Pair, JOSEError> in
      if let pair { return .success(pair) }
      do throws(JOSEError) {
        let key = try SigningKey.generate()
        let fresh = Pair(key: key, verifiers: KeySet([key]))
        pair = fresh
        return .success(fresh)
      } catch {
        return .failure(error)
      }
    }
    return try made.get()
  }
}
