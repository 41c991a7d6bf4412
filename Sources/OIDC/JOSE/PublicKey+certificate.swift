import CShims
import System

extension PublicKey {
  /// Reads the RSA key of an X.509 certificate in PEM; nil when it cannot or must not be used.
  ///
  /// Name, dates and issuer of the certificate are ignored: the key is trusted because of where it was published.
  init?(certificate pem: String, keyID: String) {
    var pem = pem
    let key = pem.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { bytes in
        bytes.baseAddress.flatMap { luath_crypto_read_certificate($0, bytes.count) }
      }
    }
    guard let key else { return nil }
    let handle = KeyHandle(owning: key)
    guard let n = handle.rsaNumber("n"), let e = handle.rsaNumber("e") else { return nil }
    // Via a JWK, so that the same limits apply to both.
    self.init(jwk: [
      "kty": "RSA", "n": .string(Base64URL.encode(n)), "e": .string(Base64URL.encode(e)),
      "kid": .string(keyID), "alg": .string(Algorithm.rs256.rawValue),
    ])
  }
}
