@testable import System
import Testing

@Suite(.timeLimit(.minutes(1))) struct SecretMaskerTests {
  private static let secrets = [
    "hunter2!", "4711", "pa ss+wörd/&\"", "AMf-vBx_0123456789abcdef", "a/b+c=d?e", "ein\\weg\"",
    "eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlLW9mLXRoaXMtdG9rZW4",
  ]

  private static func masker(_ secrets: [String] = secrets) -> SecretMasker {
    let masker = SecretMasker()
    masker.add(secrets)
    return masker
  }

  @Test(arguments: secrets) func `a secret is found in every spelling`(secret: String) {
    let masker = Self.masker()
    let percent = PercentEncoding.encode(secret)
    let spellings = [
      secret, percent, PercentEncoding.encode(percent), JSON.string(secret).encoded(),
      FormFields([("x", secret)]).encoded,
    ]
    for spelling in spellings {
      #expect(!masker.clean("at \(spelling) end").contains(spelling))
      #expect(masker.clean("at \(spelling) end").hasPrefix("at "))
      #expect(masker.clean("at \(spelling) end").hasSuffix(" end"))
    }
    for before in ["", "a", "ab", "ada:", "ada@contoso.example:"] {
      let bytes = Array((before + secret).utf8)
      for encoded in [Base64.encode(bytes), Base64URL.encode(bytes)] {
        let cleaned = masker.clean("Basic \(encoded);")
        #expect(cleaned.contains("[secret]"))
        // At most the digit that the secret shares with its neighbour is left.
        #expect(!cleaned.contains(encoded.suffix(encoded.count / 2)))
      }
    }
  }

  @Test(arguments: [
    ("pa ss+wörd/&\"", "pa+ss%2Bw%C3%B6rd%2F%26%22"), ("two-s3cret", "two%2Ds3cret"),
    ("pa ss+wörd/&\"", #"pa ss+w\u00f6rd\/&\""#), ("am&per<sand>", #"am\u0026per\u003csand\u003e"#),
    ("pa ss+wörd/&\"", "pa ss+wörd/&amp;&quot;"), ("it's <this>", "it&#39;s &lt;this&gt;"),
    ("am&per\"sand", "am&amp;per\"sand"), ("wörd-of-ada", "w%c3%b6rd%2dof%2dada"),
    ("wörd of ada", "wörd%20of%20ada"), ("wörd of ada", "wörd+of+ada"),
    ("wörd of ada", "w%C3%B6rd+of+ada"), ("wörd of ada", "w&#246;rd of ada"),
    ("wörd of ada", "w&#xF6;rd&#x20;of ada"), ("wörd of adä", "wörd of ad&#228;"),
    ("ab+cd/ef==", "ab cd%2Fef%3D%3D"), ("ab+cd/ef==", "ab+cd%2Fef=="),
  ])
  func `a secret is found as other programs spell it`(secret: String, spelling: String) {
    #expect(Self.masker([secret]).clean("at \(spelling) end") == "at [secret] end")
  }

  @Test(arguments: [60, 64, 76], ["\n", "\r\n", "\n  "])
  func `a secret is found in base 64 over several lines`(width: Int, lineBreak: String) {
    let secret = "a secret that stands on two lines"
    let masker = Self.masker([secret])
    for before in [0, 30, 41, 47, 57] {
      let bytes = Array((String(repeating: "x", count: before) + secret + " and more words").utf8)
      let digits = Array(Base64.encode(bytes))
      let lines = stride(from: 0, to: digits.count, by: width)
        .map { String(digits[$0..<min($0 + width, digits.count)]) }
      let cleaned = masker.clean("data:\n\(lines.joined(separator: lineBreak))\nend")
      #expect(cleaned.contains("[secret]") && cleaned.hasPrefix("data:\n"), "\(cleaned)")
      #expect(!cleaned.contains("0IHN0YW5kcyBvbi"), "\(cleaned)")
      #expect(cleaned.hasSuffix("\nend"))
    }
    let words = Array(repeating: "words", count: 13).joined()
    #expect(masker.clean("\(words)\n\(words)\n4711") == "\(words)\n\(words)\n4711")
  }

  @Test func `tokens may be kept for who takes them apart`() {
    let token = Self.secrets[6]
    let masker = Self.masker()
    #expect(masker.clean("a=\(token)&b=hunter2!", keepsTokens: true) == "a=\(token)&b=[secret]")
  }

  @Test func `what is no secret stays as it is`() {
    let text = "POST /v1/accounts:signInWithPassword 200 in 14711 ms, ada@contoso.example"
    #expect(Self.masker().clean(text) == text)
    #expect(SecretMasker().clean(text) == text)
    #expect(Self.masker([]).clean("") == "")
    #expect(Self.masker(["abc", ""]).clean("abc") == "abc")
  }

  @Test func `a short secret counts as a word of its own`() {
    #expect(Self.masker().clean("code 4711, 47110, x4711") == "code [secret], 47110, x4711")
  }

  @Test func `secrets that overlap or touch are masked whole`() {
    let masker = Self.masker(["abcdefghij", "fghijklmno", "abcdefghijklmnopq", "0123456789"])
    #expect(masker.clean("abcdefghijklmno!") == "[secret]!")
    #expect(masker.clean("abcdefghijklmnopq!") == "[secret]!")
    #expect(masker.clean("01234567890123456789") == "[secret][secret]")
    #expect(masker.clean("abcdefghij0123456789.") == "[secret][secret].")
  }

  @Test func `tokens nobody named are masked, and their signature alone`() {
    let token = Self.secrets[6]
    #expect(SecretMasker().clean("id_token=\(token)&x=1") == "id_token=[secret]&x=1")
    #expect(SecretMasker().clean("[\(Base64.encode(Array(token.utf8)))]") == "[[secret]=]")
    #expect(Self.masker().clean("c2lnbmF0dXJlLW9mLXRoaXMtdG9rZW4") == "[secret]")
    #expect(SecretMasker().clean("eyJ is how it begins") == "eyJ is how it begins")
  }

  @Test func `a token is shown by header and claims`() throws {
    let token = try #require(TokenShape.read(Self.secrets[6]))
    #expect(token.header == ["alg": "RS256"])
    #expect(token.claims == ["sub": "1"])
    #expect(TokenShape.read("eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.")?.claims == ["sub": "1"])
    #expect(TokenShape.read("eyJhbGciOiJub25lIn0.bm8ganNvbiBhdCBhbGw.") == nil)
    #expect(TokenShape.read("words and more words, no token") == nil)
  }

  @Test func `thousands of secrets of one maker are told apart`() {
    let all = (0..<4000).map { "prefix-that-all-share-\($0)-suffix-that-all-share" }
    let masker = Self.masker(all)
    #expect(masker.clean(all[7] + " " + all[3999]) == "[secret] [secret]")
    let other = "prefix-that-all-share-4000-suffix-that-all-share"
    #expect(masker.clean(other) == other)
  }

  @Test func `marked secrets outlive any number of others`() {
    let masker = SecretMasker(generation: 1000)
    masker.add(["the marked one"], marked: true)
    masker.add((0..<1000).map { "value-\($0)-of-many" })
    #expect(
      masker.clean("the marked one, value-0-of-many, value-999-of-many")
        == "[secret], value-0-of-many, [secret]")
  }
}
