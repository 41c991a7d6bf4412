import CCrypto
import CShims

/// Owns a libcrypto key.
///
/// Unchecked, because the pointer never changes and the key is never modified after it was created;
/// any number of threads may use such a key concurrently (openssl-threads(7)).
final class KeyHandle: @unchecked Sendable {
  let pointer: OpaquePointer

  init(owning pointer: OpaquePointer) {
    self.pointer = pointer
  }

  deinit {
    EVP_PKEY_free(pointer)
  }

  /// Returns the number `n` or `e` of an RSA key; nil for other keys.
  func rsaNumber(_ name: String) -> [UInt8]? {
    var length = 0
    guard let bytes = luath_crypto_rsa_number(pointer, name, &length) else { return nil }
    defer { luath_crypto_free(bytes, length) }
    return Array(UnsafeBufferPointer(start: bytes, count: length))
  }
}
