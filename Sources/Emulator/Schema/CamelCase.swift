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
