import CCrypto
import CShims
public import System
import Glibc

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

extension SystemLibrary {
  /// OpenSSL's libcrypto.
  public static var openSSL: SystemLibrary {
    SystemLibrary(
      "OpenSSL", String(cString: OpenSSL_version(OPENSSL_VERSION_STRING)),
      headers: OPENSSL_VERSION_STR)
  }

  /// libargon2, which reports no version; the note names its file.
  public static var argon2: SystemLibrary {
    SystemLibrary("libargon2", nil, note: file(of: "argon2_ctx"))
  }

  /// libcrypt of libxcrypt, whose version is in its headers only; the note names its file.
  public static var xcrypt: SystemLibrary {
    SystemLibrary(
      "libxcrypt", nil, headers: luath_xcrypt_headers().map { String(cString: $0) },
      note: file(of: "crypt_rn"))
  }

  /// Returns the name of the file from which a symbol's library was loaded.
  private static func file(of symbol: String) -> String? {
    guard let path = luath_library_file(symbol) else { return nil }
    defer { free(path) }
    return String(cString: path).split(separator: "/").last.map(String.init)
  }
}

/// Sources for a Content-Security-Policy.
public enum ContentPolicy {
  /// Returns the hash source of an inline style sheet or script (CSP Level 3 section 2.3.1).
  public static func source(_ text: String) -> String {
    "'sha256-\(Base64.encode(Digest.sha256(Array(text.utf8))))'"
  }
}
