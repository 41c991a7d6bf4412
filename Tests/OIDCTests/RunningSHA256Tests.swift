@testable import System
@testable import OIDC
import Testing

@Suite(.timeLimit(.minutes(1))) struct RunningSHA256Tests {
  @Test func `pieces have the hash of the whole, at every moment`() {
    let digest = RunningSHA256()
    var whole: [UInt8] = []
    #expect(digest.hex() == Hex.encode(Digest.sha256([])))
    for size in [0, 1, 63, 64, 65, 1000] {
      let piece = [UInt8](repeating: UInt8(size & 0xFF), count: size)
      piece.withUnsafeBufferPointer { digest.update($0) }
      whole += piece
      #expect(digest.hex() == Hex.encode(Digest.sha256(whole)))
    }
  }
}
