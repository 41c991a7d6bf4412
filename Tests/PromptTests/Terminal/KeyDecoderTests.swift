import Testing

@testable import Prompt

@Suite struct KeyDecoderTests {
  private static func keys(_ bytes: String) -> [Key] {
    var decoder = KeyDecoder()
    return decoder.feed(Array(bytes.utf8)) + decoder.timeOut()
  }

  @Test(
    arguments: [
      ("a", [.character("a")]), ("ä", [.character("ä")]), ("\u{01}", [.control("a")]),
      ("\u{1F}", [.control("_")]), ("\r", [.enter]), ("\n", [.enter]), ("\t", [.tab]),
      ("\u{7F}", [.backspace]), ("\u{1B}", [.escape]), ("\u{1B}f", [.meta("f")]),
      ("\u{1B}\r", [.metaEnter]), ("\u{1B}\u{7F}", [.metaBackspace]), ("\u{1B}[A", [.up]),
      ("\u{1B}OA", [.up]), ("\u{1B}[1;5C", [.wordRight]), ("\u{1B}[1;3D", [.wordLeft]),
      ("\u{1B}[3~", [.delete]), ("\u{1B}[Z", [.backTab]), ("\u{1B}[H", [.home]),
      ("\u{1B}[4~", [.end]), ("\u{1B}[1;5H", [.textStart]), ("\u{1B}[6~", [.pageDown]),
      ("\u{1B}[15~", [.unknown]), ("\u{1B}[<0;1;1M", [.unknown]),
      ("\u{1B}\u{1B}[A", [.escape, .up]),
      ("\u{1B}[1\r", [.unknown, .enter]), ("\u{1B}é", [.meta("é")]),
    ] as [(String, [Key])]) func `bytes are keys`(bytes: String, keys: [Key])
  {
    #expect(Self.keys(bytes) == keys)
  }

  @Test func `sequences and characters may come byte by byte`() {
    let bytes = Array("ä\u{1B}[1;5D漢\u{1B}[200~x\u{1B}[20y\u{1B}[201~b".utf8)
    var decoder = KeyDecoder()
    var keys: [Key] = []
    for byte in bytes { keys += decoder.feed([byte]) }
    #expect(
      keys == [
        .character("ä"), .wordLeft, .character("漢"), .paste("x\u{1B}[20y"), .character("b"),
      ])
    #expect(decoder.limit == nil)
  }

  @Test func `what is begun waits for a while and no longer`() {
    var decoder = KeyDecoder()
    #expect(decoder.feed([0x1B]) == [])
    #expect(decoder.limit == KeyDecoder.sequenceLimit)
    #expect(decoder.timeOut() == [.escape])
    #expect(decoder.limit == nil)
    #expect(decoder.feed([0xE6, 0xBC]) == [])
    #expect(decoder.timeOut() == [.character("\u{FFFD}")])
    #expect(decoder.feed(Array("\u{1B}[20".utf8)) == [])
    #expect(decoder.timeOut() == [.unknown])
  }

  @Test func `a paste whose end is lost ends by its silence`() {
    var decoder = KeyDecoder()
    #expect(decoder.feed(Array("\u{1B}[200~one\rtwo\u{1B}[2".utf8)) == [])
    #expect(decoder.limit == KeyDecoder.pasteLimit)
    #expect(decoder.timeOut() == [.paste("one\rtwo\u{1B}[2")])
    #expect(decoder.limit == nil)
  }

  @Test func `bytes that are no text become replacement characters`() {
    var decoder = KeyDecoder()
    #expect(
      decoder.feed([0xFF, 0x41, 0xC3, 0x41]) == [
        .character("\u{FFFD}"), .character("A"), .character("\u{FFFD}"), .character("A"),
      ])
  }

  @Test func `a very long paste is cut and its end is still found`() {
    var decoder = KeyDecoder()
    decoder.longestPaste = 5000
    var keys = decoder.feed(Array("\u{1B}[200~".utf8))
    let piece = [UInt8](repeating: 0x61, count: 1000)
    for _ in 0..<17 { keys += decoder.feed(piece) }
    keys += decoder.feed(Array("\u{1B}[201~b".utf8))
    guard case .paste(let text) = keys.first else {
      Issue.record("no paste")
      return
    }
    #expect(text.utf8.count == 5000)
    #expect(keys.last == .character("b"))
  }
}
