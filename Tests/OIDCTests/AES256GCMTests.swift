@testable import System
import Testing

@testable import OIDC

@Suite("AES-256-GCM", .timeLimit(.minutes(1)))
struct AES256GCMTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    let number: Int
    let key, nonce, bound, text, box, tag: String
    var testDescription: String { "test case \(number)" }
  }

  private static let text =
    "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
    + "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
  private static let box =
    "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
    + "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"
  private static let key = "feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308"
  private static let zeros = String(repeating: "0", count: 64)

  /// The cases of "The Galois/Counter Mode of Operation" (McGrew and Viega, appendix B), which NIST took
  /// over, with a key of 256 bits and a nonce of 96.
  static let vectors = [
    Vector(
      number: 13, key: zeros, nonce: "000000000000000000000000", bound: "", text: "", box: "",
      tag: "530f8afbc74536b9a963b4f1c4cb738b"),
    Vector(
      number: 14, key: zeros, nonce: "000000000000000000000000", bound: "",
      text: "00000000000000000000000000000000", box: "cea7403d4d606b6e074ec5d3baf39d18",
      tag: "d0d1c8a799996bf0265b98b5d48ab919"),
    Vector(
      number: 15, key: key, nonce: "cafebabefacedbaddecaf888", bound: "", text: text + "1aafd255",
      box: box + "898015ad", tag: "b094dac5d93471bdec1a502270e3cc6c"),
    Vector(
      number: 16, key: key, nonce: "cafebabefacedbaddecaf888",
      bound: "feedfacedeadbeeffeedfacedeadbeefabaddad2", text: text, box: box,
      tag: "76fc6ece0f4e1768cddf8853bb2d551b"),
  ]

  @Test(arguments: vectors) func `published cases hold`(vector: Vector) throws {
    func bytes(_ text: String) throws -> [UInt8] { try #require(Hex.decode(text)) }
    let cipher = AES256GCM(key: SecretBytes(try bytes(vector.key)))
    let sealed = try cipher.seal(
      bytes(vector.text), bound: bytes(vector.bound), nonce: bytes(vector.nonce))
    #expect(Hex.encode(sealed) == vector.nonce + vector.box + vector.tag)
    #expect(try cipher.open(sealed, bound: bytes(vector.bound)) == bytes(vector.text))
  }

  @Test func `no byte of a sealed text can be changed, left out or added`() {
    let cipher = AES256GCM(key: SecretBytes(SecureRandom.bytes(32)))
    let text = Array("a password hash".utf8)
    let bound = Array("1|7|2|before".utf8)
    let sealed = cipher.seal(text, bound: bound)
    #expect(cipher.open(sealed, bound: bound) == text)
    for index in sealed.indices {
      var changed = sealed
      changed[index] ^= 1
      #expect(cipher.open(changed, bound: bound) == nil, "byte \(index)")
      #expect(cipher.open(Array(sealed[..<index]), bound: bound) == nil, "\(index) bytes")
    }
    #expect(cipher.open(sealed + [0], bound: bound) == nil)
    #expect(cipher.open(sealed, bound: Array("1|8|2|before".utf8)) == nil)
    #expect(cipher.open(sealed, bound: []) == nil)
    let other = AES256GCM(key: SecretBytes(SecureRandom.bytes(32)))
    #expect(other.open(sealed, bound: bound) == nil)
  }

  @Test func `the same text is never sealed to the same bytes`() {
    let cipher = AES256GCM(key: SecretBytes(SecureRandom.bytes(32)))
    let sealed = (0..<100).map { _ in cipher.seal([1, 2, 3], bound: []) }
    #expect(Set(sealed).count == 100)
    #expect(sealed.allSatisfy { cipher.open($0, bound: []) == [1, 2, 3] })
  }
}
