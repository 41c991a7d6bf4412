import CCrypto
import CShims
public import System

/// A key that signs files or checks their signatures: Ed25519 (RFC 8032), or ECDSA with P-256 and SHA-256 (FIPS 186-5).
public struct SignatureKey: Sendable, Equatable {
  /// The SHA-256 of the public half in DER (SubjectPublicKeyInfo), as 64 hexadecimal digits.
  public let fingerprint: String

  private let handle: KeyHandle
  /// libcrypto's name of the hash; nil for Ed25519, which signs the text itself.
  private let digest: String?

  /// The length of the longest signature: two numbers of 32 bytes in DER.
  private static let longestSignature = 72

  /// - Parameter hint: What to do about a key of another kind.
  private init(_ handle: KeyHandle, hint: String = recipe) throws(JOSEError) {
    self.handle = handle
    if EVP_PKEY_is_a(handle.pointer, "ED25519") == 1 {
      digest = nil
    } else if Self.isP256(handle) {
      digest = "SHA256"
    } else {
      throw JOSEError(
        .malformedKey, "the key is neither an Ed25519 key nor an ECDSA key on the curve P-256",
        hint: hint)
    }
    var length = 0
    guard let der = luath_crypto_public_der(handle.pointer, &length) else {
      throw JOSEError(
        .internalFailure, "libcrypto cannot write a public key",
        hint: "check the OpenSSL installation")
    }
    defer { luath_crypto_free(der, length) }
    fingerprint = Hex.encode(
      Digest.sha256(Array(UnsafeBufferPointer(start: der, count: length))))
  }

  private static func isP256(_ handle: KeyHandle) -> Bool {
    var name = [CChar](repeating: 0, count: 64)
    guard EVP_PKEY_is_a(handle.pointer, "EC") == 1,
      EVP_PKEY_get_group_name(handle.pointer, &name, name.count, nil) == 1
    else { return false }
    return name.prefix { $0 != 0 }.elementsEqual("prime256v1".utf8.map(CChar.init))
  }

  /// Whether both have the same public half.
  public static func == (left: SignatureKey, right: SignatureKey) -> Bool {
    left.fingerprint == right.fingerprint
  }

  /// How to make a key.
  public static let recipe = "make one: openssl genpkey -algorithm ed25519 -out key.pem"

  // MARK: The private half

  /// How to get the passphrase of an encrypted key.
  public enum Passphrase: Sendable {
    case known(Secret)
    /// OpenSSL asks for it on the terminal, without echo.
    case asked
  }

  /// Whether a private key in PEM needs a passphrase (RFC 7468 section 11, RFC 1421 section 4.6.1.1).
  public static func isEncrypted(_ pem: Secret) -> Bool { pem.reveal().contains("ENCRYPTED") }

  /// Reads a private key from PEM (PKCS #8, or SEC 1 for P-256).
  ///
  /// - Parameters:
  ///   - pem: The text, at most 2 GB.
  ///   - passphrase: Where to get the passphrase; nil if the key is not encrypted.
  public static func privateKey(
    _ pem: Secret, passphrase: Passphrase? = nil
  ) throws(JOSEError) -> SignatureKey {
    var text = pem.reveal()
    guard text.contains("PRIVATE KEY-----") else {
      throw JOSEError(
        .malformedKey,
        text.contains("PUBLIC KEY-----")
          ? "the file has a public key, and signing needs the private one"
          : "the file has no private key in PEM",
        hint: recipe)
    }
    let isEncrypted = isEncrypted(pem)
    let key = text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { bytes in
        bytes.baseAddress.flatMap { start in
          guard isEncrypted, let passphrase else {
            return luath_crypto_read_pem(start, bytes.count)
          }
          return switch passphrase {
          case .known(let words):
            luath_crypto_read_encrypted_pem(start, bytes.count, words.reveal())
          case .asked: luath_crypto_read_encrypted_pem(start, bytes.count, nil)
          }
        }
      }
    }
    guard let key else {
      throw JOSEError(
        .malformedKey,
        isEncrypted
          ? "the key cannot be decrypted: the passphrase is wrong, or the file is damaged"
          : "the private key cannot be read",
        hint: isEncrypted ? "try again" : recipe)
    }
    return try SignatureKey(KeyHandle(owning: key))
  }

  /// Returns a signature as `openssl pkeyutl -sign -rawin` makes it; the key must have its private half.
  public func sign(_ text: [UInt8]) throws(JOSEError) -> [UInt8] {
    var signature = [UInt8](repeating: 0, count: Self.longestSignature)
    var length = signature.count
    guard
      luath_crypto_sign(handle.pointer, digest, text, text.count, &signature, &length) == 1
    else {
      throw JOSEError(
        .internalFailure, "libcrypto could not sign", hint: "check the OpenSSL installation")
    }
    return Array(signature[..<length])
  }

  // MARK: The public half

  private static let beginning = "-----BEGIN PUBLIC KEY-----"
  private static let ending = "-----END PUBLIC KEY-----"

  /// Reads the public keys of a PEM file, which has at least one and no private key.
  public static func publicKeys(_ pem: String) throws(JOSEError) -> [SignatureKey] {
    guard !pem.contains("PRIVATE KEY-----") else {
      throw JOSEError(
        .malformedKey, "the file has a private key, and checking needs the public one",
        hint: "write the public key to a separate file: openssl pkey -in FILE -pubout")
    }
    var keys: [SignatureKey] = []
    var rest = pem[...]
    while let start = rest.firstRange(of: beginning) {
      guard let end = rest[start.upperBound...].firstRange(of: ending) else {
        throw unreadable(keys.count + 1)
      }
      var block = String(rest[start.lowerBound..<end.upperBound]) + "\n"
      rest = rest[end.upperBound...]
      let key = block.withUTF8 { bytes in
        bytes.withMemoryRebound(to: CChar.self) { bytes in
          bytes.baseAddress.flatMap { luath_crypto_read_public_pem($0, bytes.count) }
        }
      }
      guard let key else { throw unreadable(keys.count + 1) }
      keys.append(
        try SignatureKey(
          KeyHandle(owning: key),
          hint:
            "use the public half of an Ed25519 key, or of an ECDSA key on P-256, as the approver signs with"
        ))
    }
    guard !keys.isEmpty else {
      throw JOSEError(
        .malformedKey, "the file has no public key in PEM",
        hint: "write one: openssl pkey -in key.pem -pubout -out public.pem")
    }
    return keys
  }

  private static func unreadable(_ number: Int) -> JOSEError {
    JOSEError(
      .malformedKey, "the public key number \(number) of the file cannot be read",
      hint: "write it again: openssl pkey -in key.pem -pubout -out public.pem")
  }

  /// Whether this key has signed the text.
  public func hasSigned(_ text: [UInt8], _ signature: [UInt8]) -> Bool {
    luath_crypto_verify(
      handle.pointer, digest, 0, signature, signature.count, text, text.count) == 1
  }
}
