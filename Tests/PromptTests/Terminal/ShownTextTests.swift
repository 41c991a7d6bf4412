import Testing

@testable import Prompt

@Suite struct ShownTextTests {
  @Test func `widths are those of the C library`() {
    var differing: [String] = []
    for value in UInt32(0x20)...0x2FFFF {
      guard let scalar = Unicode.Scalar(value), let width = CellWidth.of(scalar) else { continue }
      // Assigned later than the C library's Unicode.
      guard let system = systemWidth(scalar) else { continue }
      if width != system { differing.append(String(value, radix: 16)) }
    }
    // Versions of Unicode differ over this one.
    differing.removeAll { $0 == "1171e" }
    #expect(differing == [])
  }

  @Test func `what acts on terminals has no width, as it must not reach them`() {
    for value: UInt32 in [
      0, 7, 0x1B, 0x7F, 0x85, 0x9B, 0xAD, 0x200B, 0x200D, 0x202E, 0x2066, 0xFEFF,
    ] {
      #expect(Unicode.Scalar(value).flatMap(CellWidth.of) == nil)
    }
    #expect(Unicode.Scalar(0xE0041).flatMap(CellWidth.of) == nil)
  }

  @Test func `no character of a text reaches the terminal as a control`() {
    for value in UInt32(0)...0xFFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      for text in ["\(scalar)", "a\(scalar)", "👩\(scalar)b"] {
        let safe = ShownCharacter.safe(text)
        #expect(
          safe.unicodeScalars.allSatisfy {
            $0.value >= 0x20 && $0.value != 0x7F && !$0.properties.isBidiControl
              && ![.control, .format].contains($0.properties.generalCategory)
          }, "\(String(value, radix: 16))")
      }
    }
  }

  @Test(arguments: [
    ("plain\n", "plain\n"), ("a\tb", "a\tb"),
    ("\u{1B}[31mred\u{1B}[m\n", "\u{1B}[31mred\u{1B}[m\u{1B}[m\n"),
    ("\u{1B}[1;38;5;3mx", "\u{1B}[1;38;5;3mx\u{1B}[m"), ("\u{1B}[2J", "^[[2J"),
    ("\u{1B}]0;title\u{07}", "^[]0;title^G"), ("\u{1B}[", "^[["), ("\u{1B}[3", "^[[3"),
    ("a\rb", "a^Mb"), ("a\r\nb", "a\nb"), ("\u{9B}31m", "<U+009B>31m"),
  ]) func `colours of others are let through, and nothing else that acts`(
    text: String, shown: String
  ) {
    #expect(ShownText.lines(text, usesColours: true) == shown)
    #expect(!ShownText.lines(text, usesColours: false).contains("\u{1B}"))
  }

  @Test func `rows of a line are counted by its columns`() {
    #expect(ShownText.rows(of: "", columns: 10) == 0)
    #expect(ShownText.rows(of: "0123456789", columns: 10) == 1)
    #expect(ShownText.rows(of: "01234\u{1B}[31m567890", columns: 10) == 2)
    #expect(ShownText.rows(of: "a\tbc", columns: 10) == 1)
    #expect(ShownText.rows(of: "漢漢漢漢漢x", columns: 10) == 2)
  }
}
