/// Prepares untrusted text for a terminal.
enum ShownText {
  /// The text with its line breaks, tabs and optionally colors; other control characters are escaped.
  static func lines(_ text: String, usesColours: Bool) -> String {
    var shown = ""
    var isColoured = false
    var rest = text[...]
    while let character = rest.first {
      if character == "\u{1B}", let sequence = colour(rest) {
        if usesColours {
          shown += sequence
          isColoured = true
        }
        rest = rest[sequence.endIndex...]
        continue
      }
      switch character {
      case "\n", "\r\n": shown.append("\n")
      case "\t": shown.append("\t")
      default:
        for form in ShownCharacter.forms(of: character) { shown += form.text }
      }
      rest = rest.dropFirst()
    }
    guard isColoured else { return shown }
    return shown.hasSuffix("\n") ? shown.dropLast() + "\u{1B}[m\n" : shown + "\u{1B}[m"
  }

  /// The color sequence (Select Graphic Rendition) at the start of a text; nil when there is none.
  private static func colour(_ text: Substring) -> Substring? {
    var index = text.index(after: text.startIndex)
    guard index < text.endIndex, text[index] == "[" else { return nil }
    repeat {
      index = text.index(after: index)
      guard index < text.endIndex else { return nil }
    } while text[index].isASCII
      && (text[index].isNumber || text[index] == ";" || text[index] == ":")
    return text[index] == "m" ? text[...index] : nil
  }

  /// The number of rows of a line without line break, as returned by `lines`.
  static func rows(of line: String, columns: Int) -> Int {
    guard !line.isEmpty else { return 0 }
    var width = 0
    var rest = line[...]
    while let character = rest.first {
      if character == "\u{1B}", let sequence = colour(rest) {
        rest = rest[sequence.endIndex...]
        continue
      }
      // Tab stops are eight columns apart.
      width +=
        character == "\t"
        ? 8 - width % 8 : ShownCharacter.forms(of: character).reduce(0) { $0 + $1.width }
      rest = rest.dropFirst()
    }
    return max(1, (width + columns - 1) / max(columns, 1))
  }
}

/// The printable form of a character.
///
/// Control characters, direction marks, joiners and all else that would control the terminal or be
/// invisible are escaped. All untrusted text for the terminal goes through here.
struct ShownCharacter: Equatable {
  let text: String
  let width: Int
  /// Whether it is the escape of a character that must not be shown.
  var isSpelledOut = false
  /// Whether terminals disagree about the width, so that the cursor's column after it is not known.
  var isUncertain = false

  /// The maximum number of marks on a letter; more would cover the lines around it.
  private static let mostMarks = 4

  /// The forms of a character, usually one; not for tabs, whose width depends on the column.
  static func forms(of character: Character) -> [ShownCharacter] {
    if let ascii = character.asciiValue, (0x20..<0x7F).contains(ascii) {
      return [ShownCharacter(text: String(character), width: 1)]
    }
    let scalars = Array(character.unicodeScalars)
    guard let first = scalars.first, let width = CellWidth.of(first), width > 0 else {
      return scalars.map(spelledOut)
    }
    if scalars.count == 1 { return [ShownCharacter(text: String(first), width: width)] }
    let isPicture = first.properties.isEmoji && first.value > 0x7F
    var whole = String.UnicodeScalarView([first])
    var columns = width
    var rest: [ShownCharacter] = []
    var marks = 0
    for scalar in scalars.dropFirst() {
      // Skip joiners and emoji variation selectors, which many terminals do not support.
      if isPicture, scalar.value == 0x200D || scalar.value == 0xFE0F { continue }
      if scalar.value == 0xFE0F || scalar.value == 0xFE0E || marks == mostMarks {
        rest.append(spelledOut(scalar))
      } else if let width = CellWidth.of(scalar) {
        whole.append(scalar)
        columns += width
        marks += width == 0 ? 1 : 0
      } else {
        rest.append(spelledOut(scalar))
      }
    }
    let joined = ShownCharacter(
      text: String(whole), width: columns, isUncertain: columns != width || isPicture)
    return [joined] + rest
  }

  /// The text on one line with all control characters escaped.
  static func safe(_ text: String) -> String {
    text.map { forms(of: $0).map(\.text).joined() }.joined()
  }

  /// Escapes control characters as `^A`, like the echo of a terminal, and others as `<U+202E>`.
  private static func spelledOut(_ scalar: Unicode.Scalar) -> ShownCharacter {
    let value = scalar.value
    let text: String
    if value < 0x20 || value == 0x7F {
      text = "^" + String(Character(Unicode.Scalar(UInt8(value ^ 0x40))))
    } else if let width = CellWidth.of(scalar), width > 0 {
      return ShownCharacter(text: String(scalar), width: width)
    } else {
      let digits = String(value, radix: 16, uppercase: true)
      text = "<U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + ">"
    }
    return ShownCharacter(text: text, width: text.utf8.count, isSpelledOut: true)
  }
}

/// The widths of characters on a terminal.
///
/// The wide characters are those of Unicode 15 (East Asian Width W and F), like the C library's
/// `wcwidth`, which terminals agree with. `wcwidth` itself depends on the locale.
enum CellWidth {
  /// The columns of a scalar: 0 if it combines with the previous one, nil if it must not reach a terminal
  /// unescaped.
  static func of(_ scalar: Unicode.Scalar) -> Int? {
    let value = scalar.value
    if value < 0x7F { return value < 0x20 ? nil : 1 }
    if value < 0x300 { return value < 0xA0 || value == 0xAD ? nil : 1 }
    // Vowels and final consonants of decomposed Korean syllables.
    if (0x1160...0x11FF).contains(value) || (0xD7B0...0xD7FF).contains(value) { return 0 }
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark: return 0
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator,
      .paragraphSeparator:
      return nil
    default: return isWide(value) ? 2 : 1
    }
  }

  private static func isWide(_ value: UInt32) -> Bool {
    if value < 0x1100 { return false }
    var (low, high) = (0, wide.count)
    while low < high {
      let middle = (low + high) / 2
      if wide[middle].upperBound < value { low = middle + 1 } else { high = middle }
    }
    return low < wide.count && wide[low].contains(value)
  }

  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x231A...0x231B, 0x2329...0x232A, 0x23E9...0x23EC, 0x23F0...0x23F0,
    0x23F3...0x23F3, 0x25FD...0x25FE, 0x2614...0x2615, 0x2648...0x2653, 0x267F...0x267F,
    0x2693...0x2693, 0x26A1...0x26A1, 0x26AA...0x26AB, 0x26BD...0x26BE, 0x26C4...0x26C5,
    0x26CE...0x26CE, 0x26D4...0x26D4, 0x26EA...0x26EA, 0x26F2...0x26F3, 0x26F5...0x26F5,
    0x26FA...0x26FA, 0x26FD...0x26FD, 0x2705...0x2705, 0x270A...0x270B, 0x2728...0x2728,
    0x274C...0x274C, 0x274E...0x274E, 0x2753...0x2755, 0x2757...0x2757, 0x2795...0x2797,
    0x27B0...0x27B0, 0x27BF...0x27BF, 0x2B1B...0x2B1C, 0x2B50...0x2B50, 0x2B55...0x2B55,
    0x2E80...0x2E99, 0x2E9B...0x2EF3, 0x2F00...0x2FD5, 0x2FF0...0x2FFB, 0x3000...0x3029,
    0x302E...0x303E, 0x3041...0x3096, 0x309B...0x30FF, 0x3105...0x312F, 0x3131...0x318E,
    0x3190...0x31E3, 0x31F0...0x321E, 0x3220...0xA48C, 0xA490...0xA4C6, 0xA960...0xA97C,
    0xAC00...0xD7A3, 0xF900...0xFA6D, 0xFA70...0xFAD9, 0xFE10...0xFE19, 0xFE30...0xFE52,
    0xFE54...0xFE66, 0xFE68...0xFE6B, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x16FE3,
    0x16FF0...0x16FF1, 0x17000...0x187F7, 0x18800...0x18CD5, 0x18D00...0x18D08, 0x1AFF0...0x1AFF3,
    0x1AFF5...0x1AFFB, 0x1AFFD...0x1AFFE, 0x1B000...0x1B122, 0x1B150...0x1B152, 0x1B164...0x1B167,
    0x1B170...0x1B2FB, 0x1F004...0x1F004, 0x1F0CF...0x1F0CF, 0x1F18E...0x1F18E, 0x1F191...0x1F19A,
    0x1F200...0x1F202, 0x1F210...0x1F23B, 0x1F240...0x1F248, 0x1F250...0x1F251, 0x1F260...0x1F265,
    0x1F300...0x1F320, 0x1F32D...0x1F335, 0x1F337...0x1F37C, 0x1F37E...0x1F393, 0x1F3A0...0x1F3CA,
    0x1F3CF...0x1F3D3, 0x1F3E0...0x1F3F0, 0x1F3F4...0x1F3F4, 0x1F3F8...0x1F43E, 0x1F440...0x1F440,
    0x1F442...0x1F4FC, 0x1F4FF...0x1F53D, 0x1F54B...0x1F54E, 0x1F550...0x1F567, 0x1F57A...0x1F57A,
    0x1F595...0x1F596, 0x1F5A4...0x1F5A4, 0x1F5FB...0x1F64F, 0x1F680...0x1F6C5, 0x1F6CC...0x1F6CC,
    0x1F6D0...0x1F6D2, 0x1F6D5...0x1F6D7, 0x1F6DD...0x1F6DF, 0x1F6EB...0x1F6EC, 0x1F6F4...0x1F6FC,
    0x1F7E0...0x1F7EB, 0x1F7F0...0x1F7F0, 0x1F90C...0x1F93A, 0x1F93C...0x1F945, 0x1F947...0x1F9FF,
    0x1FA70...0x1FA74, 0x1FA78...0x1FA7C, 0x1FA80...0x1FA86, 0x1FA90...0x1FAAC, 0x1FAB0...0x1FABA,
    0x1FAC0...0x1FAC5, 0x1FAD0...0x1FAD9, 0x1FAE0...0x1FAE7, 0x1FAF0...0x1FAF6, 0x20000...0x2A6DF,
    0x2A700...0x2B738, 0x2B740...0x2B81D, 0x2B820...0x2CEA1, 0x2CEB0...0x2EBE0, 0x2F800...0x2FA1D,
    0x30000...0x3134A,
  ]
}
