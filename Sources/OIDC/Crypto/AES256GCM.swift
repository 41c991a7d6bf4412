import CCrypto
import CShims
public import System

/// Authenticated encryption with AES-256 in Galois/Counter Mode (NIST SP 800-38D).
///
/// Nonces are random, so a key is good for about 4 billion messages (section 8.3).
public struct AES256GCM: Sendable {
  /// The length of a key in bytes.
  public static let keyLength = Int(luath_gcm_key)
  /// The size of nonce and tag, which are added to a text, in bytes.
  static let overhead = Int(luath_gcm_nonce + luath_gcm_tag)

  private let key: SecretBytes

  /// Creates a cipher from a key of `keyLength` bytes.
  public init(key: SecretBytes) {
    precondition(key.count == Self.keyLength, "AES-256 needs a key of 32 bytes")
    self.key = key
  }

  /// Encrypts a text, authenticated together with a context: nonce, ciphertext, tag.
  public func seal(_ text: [UInt8], bound: [UInt8]) -> [UInt8] {
    seal(text, bound: bound, nonce: SecureRandom.bytes(Int(luath_gcm_nonce)))
  }

  /// Encrypts a text with a nonce that was never used with this key.
  func seal(_ text: [UInt8], bound: [UInt8], nonce: [UInt8]) -> [UInt8] {
    precondition(nonce.count == Int(luath_gcm_nonce), "a nonce has 96 bits")
    return Array(unsafeUninitializedCapacity: text.count + Self.overhead) { box, count in
      _ = box.initialize(from: nonce)
      let status = luath_crypto_gcm_seal(
        key.reveal(), nonce, bound, bound.count, text, text.count,
        box.baseAddress?.advanced(by: nonce.count))
      // Trap rather than continue with plain text.
      precondition(status == 1, "libcrypto cannot encrypt")
      count = text.count + Self.overhead
    }
  }

  /// Decrypts a sealed text; nil unless key, context and every byte are unchanged.
  public func open(_ box: [UInt8], bound: [UInt8]) -> [UInt8]? {
    let length = box.count - Self.overhead
    guard length >= 0 else { return nil }
    var isOpened = false
    // One extra byte, because an empty array may have no address.
    let text = [UInt8](unsafeUninitializedCapacity: length + 1) { text, count in
      isOpened = box.withUnsafeBufferPointer { box in
        luath_crypto_gcm_open(
          key.reveal(), box.baseAddress, bound, bound.count,
          box.baseAddress?.advanced(by: Int(luath_gcm_nonce)), length, text.baseAddress) == 1
      }
      count = isOpened ? length : 0
    }
    return isOpened ? text : nil
  }
}
