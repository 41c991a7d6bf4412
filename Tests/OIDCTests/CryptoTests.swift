@testable import System
@testable import OIDC
import Testing

@Suite("Hashes and random texts", .timeLimit(.minutes(1)))
struct CryptoTests {
  @Test func `SHA-256 gives the published values`() {
    #expect(
      Digest.sha256Hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(
      Digest.sha256Hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    #expect(Hex.encode(Digest.sha256(Array("abc".utf8))) == Digest.sha256Hex("abc"))
  }

  @Test(arguments: [
    (
      "Jefe", "what do ya want for nothing?",
      "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    ), ("", "", "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
  ])
  func `HMAC gives the published values`(key: String, message: String, expected: String) {
    let code = Digest.hmacSHA256(key: Array(key.utf8), message: Array(message.utf8))
    #expect(Hex.encode(code) == expected)
  }

  @Test func `random texts have their length and alphabet`() {
    #expect(SecureRandom.bytes(0).isEmpty)
    #expect(SecureRandom.bytes(33).count == 33)
    #expect(SecureRandom.token().utf8.count == 43)
    #expect(Base64URL.decode(SecureRandom.token(bytes: 20))?.count == 20)
    #expect(SecureRandom.token() != SecureRandom.token())
    let text = SecureRandom.alphanumeric(10_000)
    #expect(text.utf8.count == 10_000)
    #expect(Set(text).count == 62)
    #expect(text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) })
    #expect(SecureRandom.alphanumeric(0) == "")
  }

  @Test func `the PKCE example of RFC 7636 holds`() {
    let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    #expect(PKCE(verifier: Secret(verifier)).challenge == challenge)
    #expect(PKCE.matches(verifier: verifier, challenge: challenge))
    #expect(!PKCE.matches(verifier: verifier, challenge: challenge + "="))
    #expect(!PKCE.matches(verifier: verifier + "x", challenge: challenge))
    #expect(!PKCE.matches(verifier: challenge, challenge: challenge))
  }

  @Test(arguments: [42, 129])
  func `a PKCE verifier of wrong length never matches`(count: Int) {
    let verifier = String(repeating: "a", count: count)
    let challenge = PKCE(verifier: Secret(verifier)).challenge
    #expect(!PKCE.matches(verifier: verifier, challenge: challenge))
  }

  @Test(arguments: ["+", "/", " ", "=", "é", "\0"])
  func `a PKCE verifier with a reserved character never matches`(character: String) {
    let verifier = String(repeating: "a", count: 42) + character
    let challenge = PKCE(verifier: Secret(verifier)).challenge
    #expect(!PKCE.matches(verifier: verifier, challenge: challenge))
  }

  @Test func `fresh PKCE pairs match and differ`() {
    let pair = PKCE()
    #expect(PKCE.matches(verifier: pair.verifier.reveal(), challenge: pair.challenge))
    #expect(pair.challenge != PKCE().challenge)
  }
}
