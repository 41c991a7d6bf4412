import CCrypto
import System

/// Cryptographic hashes.
public enum Digest {
  /// SHA-256 (FIPS 180-4), 32 bytes.
  public static func sha256(_ bytes: [UInt8]) -> [UInt8] {
    var hash = [UInt8](repeating: 0, count: 32)
    let status = EVP_Digest(bytes, bytes.count, &hash, nil, EVP_sha256(), nil)
    precondition(status == 1, "libcrypto has no SHA-256")
    return hash
  }

  /// Returns the hash by libcrypto's name of the function, such as `SHA384`.
  static func hash(_ bytes: [UInt8], _ name: String) -> [UInt8] {
    var hash = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var length: UInt32 = 0
    let status = EVP_Digest(bytes, bytes.count, &hash, &length, EVP_get_digestbyname(name), nil)
    precondition(status == 1, "libcrypto lacks a digest")
    return Array(hash.prefix(Int(length)))
  }

  /// SHA-256 of the UTF-8 bytes, as 64 hexadecimal digits in lower case.
  public static func sha256Hex(_ text: String) -> String {
    Hex.encode(sha256(Array(text.utf8)))
  }

  /// HMAC with SHA-256 (RFC 2104), 32 bytes.
  public static func hmacSHA256(key: [UInt8], message: [UInt8]) -> [UInt8] {
    key.withUnsafeBufferPointer { key in
      message.withUnsafeBufferPointer { DigestFunction.sha256.hmac(key: key, message: $0) }
    }
  }
}
