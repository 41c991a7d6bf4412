/// What a terminal gets to see of one character.
///
/// Control characters, direction marks, joiners and all else that would act on the terminal, or hide
/// in the text, are spelled out. Nothing else makes text for a terminal of text from outside.
struct ShownCharacter: Equatable {
  /// What is written.
  let text: String
  /// How many columns it takes.
  let width: Int
  /// Whether it stands for something that cannot be shown.
  var isSpelledOut = false
  /// Whether terminals differ over its width; nothing may rely on where the cursor is after it.
  var isUncertain = false

  /// More marks on one letter would only be there to spill over the lines around it.
  private static let mostMarks = 4

  /// The forms of a character, mostly one; a tab is not among them, as it depends on the column.
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
      // Joiners and the choice of coloured pictures, which many terminals do not know.
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

  /// A text on one line, without anything that acts on a terminal.
  static func safe(_ text: String) -> String {
    text.map { forms(of: $0).map(\.text).joined() }.joined()
  }

  /// `^A` for control characters, as terminals echo them, and `<U+202E>` for others.
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
