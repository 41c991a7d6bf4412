@testable import System
@testable import OIDC
import Testing

@Suite("Key sets", .timeLimit(.minutes(1)))
struct KeySetTests {
  private func count(_ jwks: JSONObject...) throws -> Int {
    try KeySet(json: ["keys": .array(jwks.map { .object($0) })]).count
  }

  @Test(arguments: [nil, [], [:], "keys", ["keys": nil], ["keys": [:]]] as [JSON])
  func `a document without a list of keys is refused`(json: JSON) {
    let error = #expect(throws: JOSEError.self) { try KeySet(json: json) }
    #expect(error?.code == .malformedKeySet)
  }

  @Test func `keys of other kinds are left out`() throws {
    let set = try KeySet(json: [
      "keys": [
        1, nil, [:], ["kty": "oct", "k": "AAAA"], ["kty": "OKP", "crv": "Ed25519", "x": "AAAA"],
        ["kty": "rsa"], ["kty": "RSA"], ["kty": "EC", "crv": "P-256"],
        .object(Vectors.p256Key.with(["kid": "b"])),
      ]
    ])
    #expect(set.count == 1)
    #expect(set.contains(keyID: "b"))
    #expect(!set.contains(keyID: "B"))
  }

  @Test(
    arguments: [
      ["use": "enc"], ["use": 1], ["alg": "RSA-OAEP"], ["alg": "ES256"], ["alg": 1],
      ["key_ops": ["sign"]],
      ["key_ops": "verify"], ["e": "AQ"], ["e": "AA"], ["e": ""], ["e": "AQABAQABAQABAQAB"],
      ["e": "AgAA"], ["n": ""], ["n": "AQAB"], ["n": "!"], ["n": 5],
    ] as [JSONObject])
  func `an RSA key that must not verify is left out`(change: JSONObject) throws {
    var key = Vectors.rsaKey
    for (name, value) in change.entries { key[name] = value }
    #expect(try count(key) == 0)
    #expect(try count(Vectors.rsaKey) == 1)
  }

  @Test func `an RSA key may say that it verifies`() throws {
    #expect(
      try count(
        Vectors.rsaKey.with(["use": "sig", "alg": "RS256", "key_ops": ["sign", "verify"]])) == 1)
  }

  @Test func `an RSA key of unusual size is left out`() throws {
    func key(bytes: Int) -> JSONObject {
      let n = Base64URL.encode([UInt8](repeating: 0xFF, count: bytes))
      return Vectors.rsaKey.with(["n": .string(n)])
    }
    #expect(try count(key(bytes: 128)) == 0)
    #expect(try count(key(bytes: 255)) == 0)
    #expect(try count(key(bytes: 256)) == 1)
    #expect(try count(key(bytes: 1024)) == 1)
    #expect(try count(key(bytes: 1025)) == 0)
    #expect(try count(key(bytes: 100_000)) == 0)
  }

  @Test(
    arguments: [
      ["crv": "P-384"], ["x": ""], ["x": "AAAA"],
      ["x": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"],
      ["y": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"], ["y": 1], ["alg": "RS256"],
    ] as [JSONObject])
  func `a P-256 key that is none is left out`(change: JSONObject) throws {
    var key = Vectors.p256Key
    for (name, value) in change.entries { key[name] = value }
    #expect(try count(key) == 0)
  }

  @Test func `the thumbprint of RFC 7638 comes out`() throws {
    let thumbprint = try Thumbprint.sha256(of: Vectors.thumbprintKey)
    #expect(thumbprint == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
    #expect(throws: JOSEError.self) { try Thumbprint.sha256(of: ["kty": "oct"]) }
    #expect(throws: JOSEError.self) { try Thumbprint.sha256(of: ["kty": "RSA", "e": "AQAB"]) }
  }
}
