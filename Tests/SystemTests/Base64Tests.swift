@testable import System
import Testing

@Suite("Base 64 and hex", .timeLimit(.minutes(1)))
struct Base64Tests {
  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="),
    ("fooba", "Zm9vYmE="), ("foobar", "Zm9vYmFy"),
  ])
  func `the vectors of RFC 4648 hold`(plain: String, encoded: String) {
    let bytes = Array(plain.utf8)
    let unpadded = String(encoded.prefix { $0 != "=" })
    #expect(Base64.encode(bytes) == encoded)
    #expect(Base64.decode(encoded) == bytes)
    #expect(Base64URL.encode(bytes) == unpadded)
    #expect(Base64URL.decode(unpadded) == bytes)
    #expect(Base64URL.decode(encoded) == bytes)
  }

  @Test func `the alphabets differ in two digits`() {
    let bytes: [UInt8] = [0xFB, 0xFF, 0xFE]
    #expect(Base64.encode(bytes) == "+//+")
    #expect(Base64URL.encode(bytes) == "-__-")
    #expect(Base64.decode("-__-") == nil)
    #expect(Base64URL.decode("+//+") == nil)
  }

  @Test(arguments: ["+//+", "-__-", "+__-"])
  func `either alphabet is read where both are allowed`(text: String) {
    #expect(Base64.decodeAnyAlphabet(text) == [0xFB, 0xFF, 0xFE])
    #expect(Base64.decodeAnyAlphabet("+_8") == [0xFB, 0xFF])
    #expect(Base64.decodeAnyAlphabet("+_8=") == [0xFB, 0xFF])
    #expect(Base64.decodeAnyAlphabet("+_8==") == nil)
    #expect(Base64.decodeAnyAlphabet("+.8=") == nil)
  }

  @Test(arguments: [
    "Z", "Zg", "Zg=", "Zm9vY", "=", "==", "====", "Zg==Zg==", "Zm9v\n", " Zm9v", "Zm=v", "Zh==",
    "Zm9=", "Zg===", "Zmé=", "Zm9v====",
  ])
  func `anything but the one right spelling is refused`(text: String) {
    #expect(Base64.decode(text) == nil)
    #expect(Base64URL.decode(text) == nil || text == "Zg")
  }

  @Test func `all bytes survive a round trip`() {
    var random = SeededGenerator(seed: 11)
    for count in 0..<300 {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      #expect(Base64.decode(Base64.encode(bytes)) == bytes)
      #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
      #expect(Hex.decode(Hex.encode(bytes)) == bytes)
    }
  }

  @Test func `hex takes either case and only whole bytes`() {
    #expect(Hex.encode([0, 0x9A, 0xFF]) == "009aff")
    #expect(Hex.decode("00 9a") == nil)
    #expect(Hex.decode("9Af") == nil)
    #expect(Hex.decode("9AfF") == [0x9A, 0xFF])
    #expect(Hex.decode("9g") == nil)
  }
}
