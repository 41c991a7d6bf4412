@testable import System
@testable import OIDC
import Testing

@Suite("Tokens", .timeLimit(.minutes(1)))
struct JWTTests {
  @Test func `the RS256 example of RFC 7515 is accepted`() throws {
    let token = try JWT(decoding: Vectors.rsaToken)
    #expect(token.claims["iss"] == "joe")
    #expect(token.claims["exp"] == 1_300_819_380)
    try token.verify(KeySet(json: ["keys": [.object(Vectors.rsaKey)]]))
  }

  @Test func `the ES256 example of RFC 7515 is accepted`() throws {
    let keys = try KeySet(json: ["keys": [.object(Vectors.p256Key)]])
    try JWT(decoding: Vectors.p256Token).verify(keys)
  }

  @Test func `what we sign we accept and others do not`() throws {
    let claims: JSONObject = ["sub": "ada", "n": 1, "list": [1.5, nil]]
    let token = try JWT(decoding: Vectors.key.sign(claims))
    #expect(token.claims == claims)
    #expect(try token.header == ["alg": "RS256", "typ": "JWT", "kid": .string(Vectors.key.keyID)])
    try token.verify(KeySet([Vectors.key, Vectors.otherKey]))
    #expect(code { try token.verify(KeySet([Vectors.otherKey])) } == .unknownKey)
  }

  @Test func `another type is written when asked for`() throws {
    let token = try JWT(decoding: Vectors.key.sign([:], type: "at+jwt"))
    #expect(token.header["typ"] == "at+jwt")
    try token.verify(KeySet([Vectors.key]))
  }

  @Test func `a token changed in any place is refused`() throws {
    let original = Array(try Vectors.key.sign(["sub": "ada"]).utf8)
    let keys = KeySet([try Vectors.key])
    for position in original.indices {
      for replacement in [UInt8(ascii: "A"), UInt8(ascii: "_"), UInt8(ascii: "."), 0x0A] {
        var changed = original
        changed[position] = replacement
        guard changed != original else { continue }
        let text = String(decoding: changed, as: UTF8.self)
        #expect(throws: JOSEError.self, "position \(position)") {
          try JWT(decoding: text).verify(keys)
        }
      }
    }
  }

  @Test func `every bit of an ES256 signature counts`() throws {
    let keys = try KeySet(json: ["keys": [.object(Vectors.p256Key)]])
    let parts = Vectors.p256Token.split(separator: ".")
    let signature = try #require(Base64URL.decode(String(parts[2])))
    func refusal(_ bytes: [UInt8]) -> JOSEError.Code? {
      code {
        try JWT(decoding: "\(parts[0]).\(parts[1]).\(Base64URL.encode(bytes))").verify(keys)
      }
    }
    for bit in 0..<512 {
      var changed = signature
      changed[bit / 8] ^= 1 << (bit % 8)
      #expect(refusal(changed) == .badSignature)
    }
    #expect(refusal(signature) == nil)
    #expect(refusal([UInt8](repeating: 0, count: 64)) == .badSignature)
    #expect(refusal([UInt8](repeating: 0xFF, count: 64)) == .badSignature)
    #expect(refusal(signature + [0]) == .badSignature)
    #expect(refusal([0] + signature.dropLast()) == .badSignature)
    #expect(refusal([]) == .badSignature)
  }

  @Test(arguments: ["none", "None", "HS256", "RS384", "PS256", "rs256", "RS256 ", ""])
  func `an algorithm that is not on the list is refused`(name: String) throws {
    let token = Vectors.token(header: ["alg": .string(name)], signature: [])
    let keys = KeySet([try Vectors.key])
    #expect(code { try JWT(decoding: token).verify(keys) } == .unsupportedAlgorithm)
  }

  @Test func `a missing or odd algorithm is refused`() throws {
    let keys = KeySet([try Vectors.key])
    for header in [[:], ["alg": nil], ["alg": 1], ["alg": ["RS256"]]] as [JSONObject] {
      let token = Vectors.token(header: header)
      #expect(code { try JWT(decoding: token).verify(keys) } == .unsupportedAlgorithm)
    }
  }

  @Test func `the caller's list of algorithms binds`() throws {
    let token = try JWT(decoding: Vectors.rsaToken)
    let keys = try KeySet(json: ["keys": [.object(Vectors.rsaKey)]])
    #expect(code { try token.verify(keys, algorithms: [.es256]) } == .unsupportedAlgorithm)
    #expect(code { try token.verify(keys, algorithms: []) } == .unsupportedAlgorithm)
    try token.verify(keys, algorithms: [.rs256])
  }

  @Test func `a key of the wrong type is never tried`() throws {
    let rsa = try KeySet(json: ["keys": [.object(Vectors.rsaKey)]])
    let p256 = try KeySet(json: ["keys": [.object(Vectors.p256Key)]])
    #expect(code { try JWT(decoding: Vectors.p256Token).verify(rsa) } == .unknownKey)
    #expect(code { try JWT(decoding: Vectors.rsaToken).verify(p256) } == .unknownKey)
  }

  @Test func `any critical header is refused`() throws {
    let key = try Vectors.key
    for crit in [["b64"], [], ["exp"], nil, 1] as [JSON] {
      let token = Vectors.token(
        header: ["alg": "RS256", "kid": .string(key.keyID), "crit": crit, "b64": false])
      #expect(code { try JWT(decoding: token).verify(KeySet([key])) } == .criticalHeader)
    }
  }

  @Test func `a token without a key name needs a signer with a single key`() throws {
    let token = try JWT(decoding: Vectors.rsaToken)
    let own = try JSON.object(Vectors.key.publicJWK)
    let rsa = JSON.object(Vectors.rsaKey)
    let p256 = JSON.object(Vectors.p256Key)
    try token.verify(KeySet(json: ["keys": [rsa]]))
    #expect(code { try token.verify(KeySet(json: ["keys": [p256, rsa]])) } == .ambiguousKey)
    #expect(code { try token.verify(KeySet(json: ["keys": [rsa, own]])) } == .ambiguousKey)
    #expect(code { try token.verify(KeySet(json: ["keys": [own]])) } == .badSignature)
    #expect(code { try token.verify(KeySet(json: ["keys": []])) } == .unknownKey)
  }

  @Test(arguments: [
    ("{\"alg\":\"none\",\"alg\":\"RS256\"}", "{}", "header"),
    ("{\"alg\":\"RS256\"}", "{\"sub\":\"ada\",\"sub\":\"eve\"}", "claims"),
    ("{\"alg\":\"RS256\"}", "{\"a\":{\"s\":1,\"\\u0073\":2}}", "claims"),
  ])
  func `a token with a name twice is refused`(header: String, claims: String, part: String) {
    let parts = [header, claims, "x"].map { Base64URL.encode(Array($0.utf8)) }
    let error = #expect(throws: JOSEError.self) {
      try JWT(decoding: parts.joined(separator: "."))
    }
    #expect(error?.code == .malformedToken)
    #expect(error?.message == "the token's \(part) has a name twice")
  }

  @Test func `a named key must be the one that signed`() throws {
    let key = try Vectors.key
    let token = try JWT(decoding: key.sign([:]))
    let impostor = try Vectors.otherKey.publicJWK.with(["kid": .string(key.keyID)])
    let nameless = key.publicJWK.with(["kid": .none])
    func verdict(_ keys: [JSONObject]) -> JOSEError.Code? {
      code { try token.verify(KeySet(json: ["keys": .array(keys.map { .object($0) })])) }
    }
    #expect(verdict([impostor]) == .badSignature)
    #expect(verdict([nameless]) == .unknownKey)
    // Two keys may share a name; it is enough that one of them signed.
    #expect(verdict([impostor, key.publicJWK]) == nil)
  }

  @Test(arguments: [
    "", ".", "..", "...", "a.b", "a.b.c", "e30.e30", "e30.e30.AA.AA", "e30.e30.A", "e30=.e30.AA",
    " e30.e30.AA", "e30.e30.AA\n", "e30.W10.AA", "W10.e30.AA", "e30.MQ.AA", "bnVsbA.e30.AA",
    "e30.e30.AB", "e30.e30.é", "e30.e30.+/", "/w.e30.AA", "e30..AA", ".e30.AA",
    "eyJhIjoiXHVkODAwIn0.e30.AA",
  ])
  func `a text that is not a token is refused`(text: String) {
    #expect(code { _ = try JWT(decoding: text) } == .malformedToken)
  }

  @Test func `decoding looks at the shape only`() throws {
    let token = try JWT(decoding: "e30.eyJzdWIiOiJhIn0.")
    #expect(token.header.isEmpty)
    #expect(token.claims == ["sub": "a"])
    #expect(token.algorithmName == nil)
  }

  @Test func `an error quotes nothing of the token`() throws {
    let token = Vectors.token(header: ["alg": "hunter2", "kid": "hunter3"])
    let error = #expect(throws: JOSEError.self) {
      try JWT(decoding: token).verify(KeySet([try Vectors.key]))
    }
    #expect(error?.description.contains("hunter") == false)
  }

  @Test func `no text makes the reader trap`() throws {
    var random = SeededGenerator(seed: 42)
    let keys = try KeySet(json: [
      "keys": [.object(Vectors.p256Key), .object(Vectors.key.publicJWK)]
    ])
    let alphabet = Array("eyJhbGciOiJSUzI1NiJ9.e30._-=A".utf8) + [0x00, 0xFF, 0xC3]
    for _ in 0..<5_000 {
      let count = Int.random(in: 0...60, using: &random)
      let bytes = (0..<count).map { _ in alphabet.randomElement(using: &random) ?? 0 }
      let text = String(decoding: bytes, as: UTF8.self)
      #expect(throws: JOSEError.self) { try JWT(decoding: text).verify(keys) }
    }
    for (algorithm, key) in [("RS256", try Vectors.key.publicJWK), ("ES256", Vectors.p256Key)] {
      let one = try KeySet(json: ["keys": [.object(key)]])
      for _ in 0..<1_000 {
        let signature = (0..<Int.random(in: 0...300, using: &random)).map { _ in
          UInt8.random(in: 0...255, using: &random)
        }
        let text = Vectors.token(header: ["alg": .string(algorithm)], signature: signature)
        #expect(code { try JWT(decoding: text).verify(one) } == .badSignature)
      }
    }
  }

  private func code(_ body: () throws -> Void) -> JOSEError.Code? {
    do {
      try body()
      return nil
    } catch {
      return (error as? JOSEError)?.code
    }
  }
}
