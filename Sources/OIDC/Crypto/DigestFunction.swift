import CCrypto
import CShims

/// A cryptographic hash function, by its name in Firebase.
public enum DigestFunction: String, Sendable, CaseIterable {
  /// MD5 (RFC 1321), for old password hashes only.
  case md5 = "MD5"
  /// SHA-1 (FIPS 180-4), for old password hashes and one-time passwords.
  case sha1 = "SHA1"
  /// SHA-256 (FIPS 180-4).
  case sha256 = "SHA256"
  /// SHA-512 (FIPS 180-4).
  case sha512 = "SHA512"

  /// The length of a hash in bytes.
  var size: Int {
    switch self {
    case .md5: 16
    case .sha1: 20
    case .sha256: 32
    case .sha512: 64
    }
  }

  /// libcrypto's function, valid as long as the process.
  var handle: OpaquePointer? {
    switch self {
    case .md5: EVP_md5()
    case .sha1: EVP_sha1()
    case .sha256: EVP_sha256()
    case .sha512: EVP_sha512()
    }
  }

  func digest(_ message: UnsafeBufferPointer<UInt8>) -> [UInt8] {
    var hash = [UInt8](repeating: 0, count: size)
    let status = EVP_Digest(message.baseAddress, message.count, &hash, nil, handle, nil)
    precondition(status == 1, "libcrypto lacks a digest")
    return hash
  }

  func digest(_ message: [UInt8]) -> [UInt8] {
    message.withUnsafeBufferPointer { digest($0) }
  }

  /// HMAC (RFC 2104) with this function.
  func hmac(
    key: UnsafeBufferPointer<UInt8>, message: UnsafeBufferPointer<UInt8>
  ) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: size)
    let status = luath_crypto_hmac(
      rawValue, key.baseAddress, key.count, message.baseAddress, message.count, &code, size)
    precondition(status == 1, "libcrypto lacks HMAC with a digest")
    return code
  }
}
