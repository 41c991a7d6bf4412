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

  private let idTokens = Mutex<SigningKey?>(nil)
  private let serviceAccount = Mutex<SigningKey?>(nil)
  private let identityProviders = Mutex<SigningKey?>(nil)

  /// The key for `purpose`; the first call generates it, and a second one meanwhile waits for the first.
  func key(for purpose: Purpose) throws(JOSEError) -> SigningKey {
    switch purpose {
    case .idTokens: try Self.key(in: idTokens)
    case .serviceAccount: try Self.key(in: serviceAccount)
    case .identityProviders: try Self.key(in: identityProviders)
    }
  }

  private static func key(in slot: borrowing Mutex<SigningKey?>) throws(JOSEError) -> SigningKey {
    let made = slot.withLock { (key: inout SigningKey?) -> Result<SigningKey, JOSEError> in
      if let key { return .success(key) }
      do throws(JOSEError) {
        let fresh = try SigningKey.generate()
        key = fresh
        return .success(fresh)
      } catch {
        return .failure(error)
      }
    }
    return try made.get()
  }
}
