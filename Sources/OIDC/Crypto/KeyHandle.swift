import CCrypto
import CShims

/// Owns one libcrypto key and frees it once.
///
/// Unchecked because the pointer never changes and the key it points to is never modified after it
/// is made; libcrypto allows any number of threads to use such a key at once (openssl-threads(7)).
final class KeyHandle: @unchecked Sendable {
  let pointer: OpaquePointer

  init(owning pointer: OpaquePointer) {
    self.pointer = pointer
  }

  deinit {
    EVP_PKEY_free(pointer)
  }

  /// A number of an RSA key, `n` or `e`; nil for keys of other kinds.
  func rsaNumber(_ name: String) -> [UInt8]? {
    var length = 0
    guard let bytes = luath_crypto_rsa_number(pointer, name, &length) else { return nil }
    defer { luath_crypto_free(bytes, length) }
    return Array(UnsafeBufferPointer(start: bytes, count: length))
  }
}
