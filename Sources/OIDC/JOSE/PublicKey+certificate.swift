import CShims
import Encoding

extension PublicKey {
  /// Reads the RSA key of an X.509 certificate in PEM; nil when it cannot or must not verify.
  ///
  /// Name, dates and issuer of the certificate count for nothing: who publishes it vouches for the key.
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
    // By way of the JWK, so that the same bounds hold for both.
    self.init(jwk: [
      "kty": "RSA", "n": .string(Base64URL.encode(n)), "e": .string(Base64URL.encode(e)),
      "kid": .string(keyID), "alg": .string(Algorithm.rs256.rawValue),
    ])
  }
}
