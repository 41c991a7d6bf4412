internal import System

/// Converts field names of any spelling to camel case.
///
/// Protocol buffers accept `local_id` for `localId`. Firebase's emulator goes further: any
/// punctuation or capital letter starts a new word.
enum CamelCase {
  /// The object with every key, at every depth, in camel case.
  static func keys(of object: JSONObject) -> JSONObject {
    guard object.entries.contains(where: { needsWork($0.key) || needsWork($0.value) }) else {
      return object
    }
    var changed = JSONObject()
    for (key, value) in object.entries {
      changed[needsWork(key) ? name(PlainLetters.of(key)) : key] = keys(of: value)
    }
    return changed
  }

  /// The object with its own keys, but not nested ones, in camel case.
  static func ownKeys(of object: JSONObject) -> JSONObject {
    guard object.entries.contains(where: { needsWork($0.key) }) else { return object }
    return JSONObject(object.entries.map { (name($0.key), $0.value) })
  }

  private static func keys(of value: JSON) -> JSON {
    switch value {
    case .object(let object): .object(keys(of: object))
    case .array(let items) where items.contains(where: needsWork): .array(items.map(keys))
    default: value
    }
  }

  private static func needsWork(_ value: JSON) -> Bool {
    switch value {
    case .object(let object):
      object.entries.contains { needsWork($0.key) || needsWork($0.value) }
    case .array(let items): items.contains(where: needsWork)
    default: false
    }
  }

  /// Whether a key is not in camel case: it begins with a capital, has two in a row, or has a
  /// character that is no letter.
  private static func needsWork(_ key: String) -> Bool {
    var wasCapital = true
    for byte in key.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"): wasCapital = false
      case UInt8(ascii: "A")...UInt8(ascii: "Z"):
        if wasCapital { return true }
        wasCapital = true
      default: return true
      }
    }
    return false
  }

  static func name(_ key: String) -> String {
    guard needsWork(key) else { return key }
    var result: [UInt8] = []
    for word in words(Array(key.utf8)) {
      let isFirst = result.isEmpty
      for (index, byte) in word.enumerated() {
        result.append(index == 0 && !isFirst ? upper(byte) : lower(byte))
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  private enum Class {
    case lower, upper, digit, other
  }

  private static func words(_ key: [UInt8]) -> [ArraySlice<UInt8>] {
    var words: [ArraySlice<UInt8>] = []
    var start = 0
    while start < key.count {
      let kind = classify(key[start])
      guard kind != .other else {
        start += 1
        continue
      }
      var end = start + 1
      while end < key.count, classify(key[end]) == kind { end += 1 }
      if kind == .upper, end < key.count, classify(key[end]) == .lower {
        if end - start > 1 {
          // The last capital of a run belongs to the word that follows: `OSBundle` is OS and Bundle.
          end -= 1
        } else {
          while end < key.count, classify(key[end]) == .lower { end += 1 }
        }
      }
      words.append(key[start..<end])
      start = end
    }
    return words
  }

  private static func classify(_ byte: UInt8) -> Class {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): .upper
    case UInt8(ascii: "0")...UInt8(ascii: "9"): .digit
    // Letters beyond ASCII neither end a word nor change case.
    case UInt8(ascii: "a")...UInt8(ascii: "z"), 0x80...: .lower
    default: .other
    }
  }

  private static func upper(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte - 32 : byte
  }

  private static func lower(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte + 32 : byte
  }
}

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
