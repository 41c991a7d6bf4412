/// Replaces letters outside A to Z in field names, as Firebase's emulator does before it looks for words.
///
/// Its library, lodash, replaces an accented letter by the plain one and a dotless i by an i.
/// It drops combining accents and apostrophes.
enum PlainLetters {
  /// The text with these letters replaced, other signs as spaces, and everything else unchanged or in lower case.
  static func of(_ text: String) -> String {
    var plain = ""
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x27, 0x2019: break
      case ..<0x80: plain.unicodeScalars.append(scalar)
      case 0xC0...0x17F: plain += letters[Int(scalar.value) - 0xC0]
      case 0x300...0x36F, 0x20D0...0x20FF, 0xFE20...0xFE2F: break
      case 0x80..<0xC0, 0x1680, 0x180E, 0x2000...0x206F, 0x3000, 0xFEFF: plain += " "
      // The Kelvin sign, for example, becomes a k.
      default: plain += scalar.properties.lowercaseMapping
      }
    }
    return plain
  }

  /// The replacements for U+00C0 to U+017F, with a dash for the two signs among them.
  private static let letters = """
      A A A A A A Ae C E E E E I I I I D N O O O O O - O U U U U Y Th ss a a a a a a ae c e e e e
      i i i i d n o o o o o - o u u u u y th y A a A a A a C c C c C c C c D d D d E e E e E e E e
      E e G g G g G g G g H h H h I i I i I i I i I i IJ ij J j K k k L l L l L l L l L l N n N n
      N n n N n O o O o O o Oe oe R r R r R r S s S s S s S s T t T t T t U u U u U u U u U u U u
      W w Y y Y Z z Z z Z z s
    """.split(whereSeparator: \.isWhitespace).map(String.init)
}
