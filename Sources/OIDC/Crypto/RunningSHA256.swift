import CCrypto
import System

/// Incremental SHA-256 (FIPS 180-4).
public final class RunningSHA256 {
  private let context: OpaquePointer

  /// Starts an empty hash.
  public convenience init() {
    self.init(Self.context())
    let status = EVP_DigestInit_ex(context, EVP_sha256(), nil)
    precondition(status == 1, "libcrypto has no SHA-256")
  }

  private init(_ context: OpaquePointer) { self.context = context }

  deinit { EVP_MD_CTX_free(context) }

  private static func context() -> OpaquePointer {
    guard let context = EVP_MD_CTX_new() else { preconditionFailure("there is no memory") }
    return context
  }

  /// Adds bytes.
  public func update(_ bytes: UnsafeBufferPointer<UInt8>) {
    let status = EVP_DigestUpdate(context, bytes.baseAddress, bytes.count)
    precondition(status == 1, "libcrypto cannot hash")
  }

  /// Returns the hash of the bytes so far as hexadecimal; more may be added afterwards.
  public func hex() -> String {
    let copy = Self.context()
    defer { EVP_MD_CTX_free(copy) }
    var hash = [UInt8](repeating: 0, count: 32)
    let isDone =
      EVP_MD_CTX_copy_ex(copy, context) == 1 && EVP_DigestFinal_ex(copy, &hash, nil) == 1
    precondition(isDone, "libcrypto cannot end a hash")
    return Hex.encode(hash)
  }
}
