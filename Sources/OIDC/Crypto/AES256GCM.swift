import CCrypto
import CShims
public import Encoding

/// Authenticated encryption with AES-256 in Galois/Counter Mode (NIST SP 800-38D).
///
/// Nonces are random, so that one key is good for about four thousand million texts (section 8.3).
public struct AES256GCM: Sendable {
  /// How long a key is, in bytes.
  public static let keyLength = Int(luath_gcm_key)
  /// How many bytes a sealed text is longer than the text: its nonce and its tag.
  public static let overhead = Int(luath_gcm_nonce + luath_gcm_tag)

  private let key: SecretBytes

  /// Takes a key, which must have `keyLength` bytes.
  public init(key: SecretBytes) {
    precondition(key.count == Self.keyLength, "AES-256 needs a key of 32 bytes")
    self.key = key
  }

  /// Encrypts a text and binds it to a context, without which nobody opens it: nonce, ciphertext, tag.
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
      // Writing the text in the clear instead would be worse than stopping.
      precondition(status == 1, "libcrypto cannot encrypt")
      count = text.count + Self.overhead
    }
  }

  /// The text of a sealed one; nil when key, context or any byte is another than that of the sealing.
  public func open(_ box: [UInt8], bound: [UInt8]) -> [UInt8]? {
    let length = box.count - Self.overhead
    guard length >= 0 else { return nil }
    var isOpened = false
    // One byte more than the text, since an array of none may have no place at all.
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
