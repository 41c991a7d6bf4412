/// Decodes the bytes from a terminal into keys.
///
/// Bytes arrive in parts of any size, so characters and sequences may be split anywhere. An incomplete
/// sequence is kept until more bytes arrive or `timeOut` is called.
struct KeyDecoder {
  /// How long to wait for the rest of a sequence, in milliseconds.
  static let sequenceLimit = 100
  /// How long to wait for the rest of a paste, in milliseconds.
  static let pasteLimit = 5000

  /// Longer pastes are cut, in bytes.
  var longestPaste = 16 << 20
  private var held: [UInt8] = []
  private var pasted: [UInt8]?

  /// How long to wait before calling `timeOut`, in milliseconds; nil when nothing is incomplete.
  var limit: Int? {
    if pasted != nil { return Self.pasteLimit }
    return held.isEmpty ? nil : Self.sequenceLimit
  }

  /// Adds bytes and returns the keys that are complete now.
  mutating func feed(_ bytes: some Collection<UInt8>) -> [Key] {
    held += bytes
    return decode(isOver: false)
  }

  /// Decodes the incomplete rest as it is.
  mutating func timeOut() -> [Key] {
    let keys = decode(isOver: true)
    guard let pasted else { return keys }
    self.pasted = nil
    return keys + [Self.paste(pasted)]
  }

  private mutating func decode(isOver: Bool) -> [Key] {
    var keys: [Key] = []
    var rest = held[...]
    while !rest.isEmpty {
      if pasted != nil {
        guard takePaste(&rest, isOver: isOver) else { break }
        keys.append(Self.paste(pasted ?? []))
        pasted = nil
        continue
      }
      switch Self.next(rest, isOver: isOver) {
      case .more:
        held = Array(rest)
        return keys
      case .pasteStart(let count):
        pasted = []
        rest = rest.dropFirst(count)
      case .key(let key, let count):
        keys.append(key)
        rest = rest.dropFirst(count)
      }
    }
    held = Array(rest)
    return keys
  }

  /// Moves pasted bytes to `pasted`; false when the end of the paste has not arrived.
  private mutating func takePaste(_ rest: inout ArraySlice<UInt8>, isOver: Bool) -> Bool {
    let mark = Array("\u{1B}[201~".utf8)
    var kept = pasted.take() ?? []
    defer { pasted = kept }
    let longestPaste = longestPaste
    func keep(_ bytes: ArraySlice<UInt8>) {
      kept += bytes.prefix(max(0, longestPaste - kept.count))
    }
    var start = rest.startIndex
    while let escape = rest[start...].firstIndex(of: 0x1B) {
      let candidate = rest[escape...].prefix(mark.count)
      if candidate.elementsEqual(mark) {
        keep(rest[..<escape])
        rest = rest[(escape + mark.count)...]
        return true
      }
      // The end mark may be split here.
      if !isOver, candidate.count < mark.count, mark.starts(with: candidate) {
        keep(rest[..<escape])
        rest = rest[escape...]
        return false
      }
      start = escape + 1
    }
    keep(rest)
    rest = []
    return false
  }

  private static func paste(_ bytes: [UInt8]) -> Key {
    .paste(String(decoding: bytes, as: UTF8.self))
  }
}

extension KeyDecoder {
  private enum Step {
    case more
    case key(Key, Int)
    case pasteStart(Int)
  }

  private static func next(_ bytes: ArraySlice<UInt8>, isOver: Bool) -> Step {
    let bytes = Array(bytes.prefix(64))
    switch bytes[0] {
    case 0x1B: return escape(bytes, isOver: isOver)
    case 0..<0x20, 0x7F: return .key(control(bytes[0]), 1)
    default: return character(bytes, isOver: isOver)
    }
  }

  private static func control(_ byte: UInt8) -> Key {
    switch byte {
    case 0x08, 0x7F: .backspace
    case 0x09: .tab
    // In line mode, which a terminal may have had until now, Return arrives as a line feed.
    case 0x0A, 0x0D: .enter
    case 0: .control(" ")
    default: .control(Character(Unicode.Scalar(byte | 0x40)).lowercased().first ?? " ")
    }
  }

  private static func character(_ bytes: [UInt8], isOver: Bool) -> Step {
    let length =
      switch bytes[0] {
      case ..<0x80: 1
      case 0xC2..<0xE0: 2
      case 0xE0..<0xF0: 3
      case 0xF0..<0xF5: 4
      default: 1
      }
    var count = 1
    while count < length, count < bytes.count, bytes[count] & 0xC0 == 0x80 { count += 1 }
    if count < length, count == bytes.count, !isOver { return .more }
    // Invalid UTF-8 becomes U+FFFD.
    let text = String(decoding: bytes[..<count], as: UTF8.self)
    return .key(.character(text.first ?? "\u{FFFD}"), count)
  }

  private static func escape(_ bytes: [UInt8], isOver: Bool) -> Step {
    guard bytes.count > 1 else { return isOver ? .key(.escape, 1) : .more }
    switch bytes[1] {
    case UInt8(ascii: "["): return controlSequence(bytes, isOver: isOver)
    case UInt8(ascii: "O"):
      guard bytes.count > 2 else { return isOver ? .key(.meta("O"), 2) : .more }
      return .key(plain(bytes[2], modifier: 1), 3)
    case 0x1B:
      // Escape Escape [ A is Alt with an arrow on some terminals.
      return .key(.escape, 1)
    case 0x0D, 0x0A: return .key(.metaEnter, 2)
    case 0x08, 0x7F: return .key(.metaBackspace, 2)
    case 0..<0x20:
      if case .control(let letter) = control(bytes[1]) { return .key(.controlMeta(letter), 2) }
      return .key(.unknown, 2)
    default:
      switch character(Array(bytes[1...]), isOver: isOver) {
      case .key(.character(let character), let count): return .key(.meta(character), count + 1)
      default: return .more
      }
    }
  }

  /// A control sequence: parameters 0x30–0x3F, intermediates 0x20–0x2F, one final byte (ECMA-48 5.4).
  private static func controlSequence(_ bytes: [UInt8], isOver: Bool) -> Step {
    guard bytes.count > 2 else { return isOver ? .key(.meta("["), 2) : .more }
    // Function keys of the Linux console.
    if bytes[2] == UInt8(ascii: "[") {
      return bytes.count > 3 || isOver ? .key(.unknown, min(4, bytes.count)) : .more
    }
    var end = 2
    while end < bytes.count, (0x20..<0x40).contains(bytes[end]) { end += 1 }
    guard end < bytes.count else {
      return isOver || bytes.count == 64 ? .key(.unknown, end) : .more
    }
    // Any other byte ends the sequence and is decoded as the next key.
    guard (0x40..<0x7F).contains(bytes[end]) else { return .key(.unknown, end) }
    let fields = String(decoding: bytes[2..<end], as: UTF8.self).split(
      separator: ";", omittingEmptySubsequences: false)
    // Terminal reports and mouse events.
    if let mark = fields.first?.first, "<=>?".contains(mark) { return .key(.unknown, end + 1) }
    let first = fields.first.flatMap { Int($0) } ?? 1
    let modifier = fields.count > 1 ? Int(fields[1]) ?? 1 : 1
    guard bytes[end] == UInt8(ascii: "~") else {
      return .key(plain(bytes[end], modifier: modifier), end + 1)
    }
    if first == 200 { return .pasteStart(end + 1) }
    return .key(numbered(first, modifier: modifier), end + 1)
  }

  private static func plain(_ final: UInt8, modifier: Int) -> Key {
    let isModified = modifier > 2
    return switch Character(Unicode.Scalar(final)) {
    case "A": .up
    case "B": .down
    case "C": isModified ? .wordRight : .right
    case "D": isModified ? .wordLeft : .left
    case "H": isModified ? .textStart : .home
    case "F": isModified ? .textEnd : .end
    case "Z": .backTab
    case "M": .enter
    default: .unknown
    }
  }

  private static func numbered(_ number: Int, modifier: Int) -> Key {
    let isModified = modifier > 2
    return switch number {
    case 1, 7: isModified ? .textStart : .home
    case 3: isModified ? .metaDelete : .delete
    case 4, 8: isModified ? .textEnd : .end
    case 5: .pageUp
    case 6: .pageDown
    default: .unknown
    }
  }
}

enum Key: Equatable, Sendable {
  case character(Character)
  /// Ctrl with a letter (in lower case) or symbol: `.control("a")`.
  case control(Character)
  /// Alt (or Escape before it) with a character.
  case meta(Character)
  /// Alt with Ctrl and a letter.
  case controlMeta(Character)
  case enter, metaEnter
  case tab, backTab
  case backspace, metaBackspace, delete, metaDelete
  case escape
  case up, down, left, right
  case home, end, pageUp, pageDown
  case wordLeft, wordRight, textStart, textEnd
  /// A pasted text, unchanged.
  case paste(String)
  /// A sequence without a meaning in the editor.
  case unknown
}
