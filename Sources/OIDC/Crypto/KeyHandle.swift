import CCrypto

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
}
