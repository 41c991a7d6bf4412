import CCrypto
import CShims
public import System

/// An RSA key pair that signs tokens with RS256.
public final class SigningKey: Sendable {
  /// The key id in tokens and key sets; by default its thumbprint (RFC 7638).
  public let keyID: String
  /// The public half as a JWK (RFC 7517).
  public let publicJWK: JSONObject

  private let handle: KeyHandle
  private let signatureLength: Int
  /// The encoded header of the default type, cached.
  private let usualHeader: String

  /// Generates a key of 2048 bits, which takes 0.05 to 1 s of processor time.
  ///
  /// Calls `isWanted` every few milliseconds on this thread, and throws when it returns false.
  public static func generate(
    keyID: String? = nil, while isWanted: () -> Bool = { true }
  ) throws(JOSEError) -> SigningKey {
    let key = withoutActuallyEscaping(isWanted) { isWanted in
      let question = Question(isWanted)
      return withExtendedLifetime(question) {
        luath_crypto_generate_rsa(
          2048,
          { context in
            guard let context else { return 0 }
            return Unmanaged<Question>.fromOpaque(context).takeUnretainedValue().ask() ? 1 : 0
          }, Unmanaged.passUnretained(question).toOpaque())
      }
    }
    guard let key else {
      throw JOSEError(
        .internalFailure, "libcrypto could not make a key", hint: "check the OpenSSL installation")
    }
    return try SigningKey(KeyHandle(owning: key), keyID: keyID)
  }

  /// A box for the closure, to pass through C.
  private final class Question {
    let ask: () -> Bool
    init(_ ask: @escaping () -> Bool) { self.ask = ask }
  }

  /// Reads a private RSA key of at least 2048 bits from PEM without a passphrase.
  public convenience init(pem: Secret, keyID: String? = nil) throws(JOSEError) {
    var text = pem.reveal()
    let key = text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { bytes in
        bytes.baseAddress.flatMap { luath_crypto_read_pem($0, bytes.count) }
      }
    }
    guard let key else {
      throw Self.malformed("the text is not a private key in PEM without a passphrase")
    }
    try self.init(KeyHandle(owning: key), keyID: keyID)
  }

  private init(_ handle: KeyHandle, keyID: String?) throws(JOSEError) {
    guard let n = handle.rsaNumber("n"), let e = handle.rsaNumber("e") else {
      throw Self.malformed("the key is not an RSA key")
    }
    guard n.count >= 256 else { throw Self.malformed("the key has fewer than 2048 bits") }
    var jwk: JSONObject = [
      "kty": "RSA", "n": .string(Base64URL.encode(n)), "e": .string(Base64URL.encode(e)),
    ]
    if let keyID { self.keyID = keyID } else { self.keyID = try Thumbprint.sha256(of: jwk) }
    jwk["kid"] = .string(self.keyID)
    jwk["alg"] = .string(Algorithm.rs256.rawValue)
    jwk["use"] = "sig"
    publicJWK = jwk
    signatureLength = n.count
    usualHeader = Self.header(type: "JWT", keyID: self.keyID)
    self.handle = handle
  }

  /// The same key pair under another key id.
  public func named(_ keyID: String) throws(JOSEError) -> SigningKey {
    try SigningKey(handle, keyID: keyID)
  }

  /// The private key as PKCS #8 PEM.
  public var privatePEM: Secret {
    var length = 0
    guard let text = luath_crypto_private_pem(handle.pointer, &length) else {
      // Writing a valid key fails only when memory has run out.
      preconditionFailure("libcrypto cannot write a key it holds")
    }
    return Secret(Self.text(text, length))
  }

  /// Returns a self-signed X.509 certificate of the public half as PEM, valid for ten years from now.
  public func certificatePEM(commonName: String) throws(JOSEError) -> String {
    var length = 0
    guard let text = luath_crypto_certificate_pem(handle.pointer, commonName, &length) else {
      throw Self.failure("libcrypto could not make a certificate")
    }
    return Self.text(text, length)
  }

  /// Returns a compact token with these claims, unchanged and in their order.
  ///
  /// - Parameter type: The `typ` of the header; nil for none.
  public func sign(_ claims: JSONObject, type: String? = "JWT") throws(JOSEError) -> String {
    let header = type == "JWT" ? usualHeader : Self.header(type: type, keyID: keyID)
    let signedText = header + "." + Base64URL.encode(JSON.object(claims).encodedBytes())
    let bytes = Array(signedText.utf8)
    var signature = [UInt8](repeating: 0, count: signatureLength)
    var length = signatureLength
    guard
      luath_crypto_sign(handle.pointer, "SHA256", bytes, bytes.count, &signature, &length) == 1
    else { throw Self.failure("libcrypto could not sign") }
    return signedText + "." + Base64URL.encode(Array(signature[..<length]))
  }

  private static func header(type: String?, keyID: String) -> String {
    var header: JSONObject = ["alg": .string(Algorithm.rs256.rawValue), "kid": .string(keyID)]
    if let type { header["typ"] = .string(type) }
    return Base64URL.encode(JSON.object(header).encodedBytes())
  }

  /// Converts and frees a text that the shim allocated.
  private static func text(_ bytes: UnsafeMutablePointer<UInt8>, _ length: Int) -> String {
    defer { luath_crypto_free(bytes, length) }
    return String(decoding: UnsafeBufferPointer(start: bytes, count: length), as: UTF8.self)
  }

  private static func malformed(_ message: String) -> JOSEError {
    JOSEError(.malformedKey, message, hint: "pass an RSA key as openssl genpkey writes it")
  }

  private static func failure(_ message: String) -> JOSEError {
    JOSEError(.internalFailure, message, hint: "check the OpenSSL installation")
  }
}

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
