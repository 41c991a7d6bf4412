@testable import System
import Testing

@Suite("Base 32", .timeLimit(.minutes(1)))
struct Base32Tests {
  @Test(arguments: [
    ("", ""), ("f", "MY======"), ("fo", "MZXQ===="), ("foo", "MZXW6==="), ("foob", "MZXW6YQ="),
    ("fooba", "MZXW6YTB"), ("foobar", "MZXW6YTBOI======"),
  ])
  func `the vectors of RFC 4648 hold`(plain: String, encoded: String) {
    let bytes = Array(plain.utf8)
    let unpadded = String(encoded.prefix { $0 != "=" })
    #expect(Base32.encode(bytes, padded: true) == encoded)
    #expect(Base32.encode(bytes) == unpadded)
    for text in [encoded, unpadded, encoded.lowercased(), unpadded.lowercased()] {
      #expect(Base32.decode(text) == bytes)
    }
  }

  @Test(arguments: [
    "M", "MZX", "MZXW6Y", "MY=", "MY=====", "MY=======", "========", "=", "MZ======", "MZXR",
    "M0======", "M1", "M8", "MY======MY======", "MY MY", "MZXW6YTB========", "MÝ======",
  ])
  func `anything but a right spelling is refused`(text: String) {
    #expect(Base32.decode(text) == nil)
  }

  @Test func `all bytes survive a round trip`() {
    var random = SystemRandomNumberGenerator()
    for count in 0..<100 {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      #expect(Base32.decode(Base32.encode(bytes)) == bytes)
      #expect(Base32.decode(Base32.encode(bytes, padded: true)) == bytes)
    }
  }
}
