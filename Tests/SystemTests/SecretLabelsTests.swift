@testable import System
import Testing

@Suite(.timeLimit(.minutes(1))) struct SecretLabelsTests {
  private static let idToken = token(["sub": "1", "firebase": [:]])

  private static func token(_ claims: JSON) -> String {
    let header: JSON = ["alg": "RS256"]
    return "\(header.encodedBase64URL()).\(claims.encodedBase64URL()).c2lnbmF0dXJlLWlzLXNlY3JldA"
  }

  private static func masker() -> SecretMasker {
    let masker = SecretMasker(labels: SecretLabels())
    masker.add(["Marmalade", "Albatross"], kind: .password)
    masker.add(["rt-0123456789"], kind: .refreshToken)
    masker.add(["unknown-thing"])
    return masker
  }

  @Test func `equal values have equal numbers, in the order in which they are shown`() {
    let masker = Self.masker()
    #expect(masker.clean("it is Albatross") == "it is [password 1]")
    #expect(masker.clean("Marmalade, Albatross") == "[password 2], [password 1]")
    #expect(masker.clean("rt-0123456789 unknown-thing") == "[refresh token 1] [secret 1]")
    #expect(masker.label("Marmalade", kind: .code) == "[password 2]")
    #expect(masker.label("new", kind: .code) == "[code 1]")
    #expect(masker.label("new", kind: .code) == "[code 1]")
  }

  @Test func `each spelling of a value has its label`() {
    let masker = Self.masker()
    let secret = "pa ss+wörd/&\""
    masker.add([secret], kind: .password)
    for text in [
      secret, PercentEncoding.encode(secret), JSON.string(secret).encoded(),
      "pa+ss%2Bw%C3%B6rd%2F%26%22", Base64.encode(Array(secret.utf8)),
    ] {
      #expect(masker.clean("(\(text))").contains("[password 1]"))
    }
    #expect(masker.clean("Albatross") == "[password 2]")
  }

  @Test func `of secrets that overlap the longest counts`() {
    let masker = SecretMasker(labels: SecretLabels())
    masker.add(["abcdefghij"], kind: .code)
    masker.add(["fghijklmnopqr"], kind: .nonce)
    #expect(masker.clean("abcdefghijklmnopqr!") == "[nonce 1]!")
    #expect(masker.clean("abcdefghij!") == "[code 1]!")
  }

  @Test func `a kind that is found later counts until the value is shown`() {
    let masker = Self.masker()
    masker.add(["unknown-thing"], kind: .apiKey)
    #expect(masker.clean("unknown-thing") == "[API key 1]")
    masker.add(["another-thing"])
    #expect(masker.clean("another-thing") == "[secret 1]")
    masker.add(["another-thing"], kind: .apiKey)
    #expect(masker.clean("another-thing") == "[secret 1]")
    masker.add(["marked-thing"], marked: true)
    masker.add(["marked-thing"], kind: .code)
    #expect(masker.clean("marked-thing") == "[code 1]")
  }

  @Test(
    arguments: [
      (["sub": "1", "firebase": [:]], "ID token"), (["nonce": "n"], "ID token"),
      (["uid": "1"], "custom token"), (["sub": "1"], "token"),
      (["iss": "https://session.firebase.google.com/p"], "session cookie"),
    ] as [(JSON, String)])
  func `a JWT has the kind of its claims`(claims: JSON, kind: String) {
    let token = Self.token(claims)
    let masker = SecretMasker(labels: SecretLabels())
    #expect(masker.clean("it is \(token).") == "it is [\(kind) 1]")
    #expect(masker.clean("<\(token)>") == "<[\(kind) 1]>")
    masker.add([token])
    #expect(masker.clean("c2lnbmF0dXJlLWlzLXNlY3JldA") == "[\(kind) 1]")
  }

  @Test func `a named JWT has the kind of its name`() {
    let masker = SecretMasker(labels: SecretLabels())
    masker.add([Self.idToken], kind: .assertion)
    #expect(masker.clean("a=\(Self.idToken)&b=1") == "a=[assertion 1]&b=1")
  }

  @Test func `by kind, a text is the same in each run`() {
    let masker = Self.masker()
    _ = masker.clean("Albatross")
    #expect(masker.clean("Marmalade Albatross", as: .kind) == "[password] [password]")
    #expect(masker.clean(Self.idToken, as: .kind) == "[ID token]")
    #expect(masker.label("Marmalade", kind: .code, as: .kind) == "[code]")
    #expect(masker.label("Marmalade", kind: .secret, as: .kind) == "[password]")
  }

  @Test(arguments: [
    ("[password 1]", true), ("[ID token 12]", true), ("[secret]", true), ("[action code]", true),
    ("[step 1]", false), ("[password]", true), ("[step]", false), ("[password x]", false),
    ("password 1", false),
    ("", false), ("[]", false), ("<b>", false), ("[password 1] ", false),
  ])
  func `labels are told from other texts`(text: String, isLabel: Bool) {
    #expect(SecretLabels.isLabel(text) == isLabel)
  }

  @Test func `labels in URLs are decoded, and other brackets are not`() {
    #expect(
      SecretLabels.readable("a%5Bb%5D=%5BID%20token%201%5D&c=%5Baction%20code%5D&d=%5B")
        == "a%5Bb%5D=[ID token 1]&c=[action code]&d=%5B")
    let text = "[1] [password 1], [[secret] [code]"
    #expect(SecretLabels.replacing(in: text, by: "•") == "[1] •, [• [code]")
    #expect(SecretLabels.replacing(in: text, by: "•", orKinds: true) == "[1] •, [• •")
  }

  @Test func `without labels all secrets have one mask`() {
    let masker = SecretMasker(["Marmalade", "Albatross"])
    #expect(masker.clean("Marmalade Albatross") == "[secret] [secret]")
    #expect(masker.label("Marmalade", kind: .code) == "[secret]")
  }
}
