/// An element of an XML 1.0 document.
struct XMLElement {
  let name: String
  var attributes: [(name: String, value: String)]
  var children: [XMLElement] = []
  var text = ""

  init(_ name: String, _ attributes: [(name: String, value: String)] = [], text: String = "") {
    self.name = name
    self.attributes = attributes
    self.text = text
  }

  /// Returns the element and its children, indented.
  func lines(indent: String = "") -> String {
    var line = "\(indent)<\(name)"
    for (name, value) in attributes { line += " \(name)=\"\(Self.escaped(value, inValue: true))\"" }
    if children.isEmpty, text.isEmpty { return line + "/>\n" }
    line += ">\(Self.escaped(text))"
    guard !children.isEmpty else { return line + "</\(name)>\n" }
    return line + "\n" + children.map { $0.lines(indent: indent + "  ") }.joined()
      + "\(indent)</\(name)>\n"
  }

  /// Escapes markup; characters that XML 1.0 does not allow become U+FFFD.
  ///
  /// Line breaks in attribute values are escaped too, because parsers turn them into blanks (XML 1.0, 3.3.3).
  static func escaped(_ text: String, inValue: Bool = false) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x26: escaped += "&amp;"
      case 0x3C: escaped += "&lt;"
      case 0x3E: escaped += "&gt;"
      case 0x22: escaped += "&quot;"
      case 0x0D: escaped += "&#13;"
      case 0x09, 0x0A:
        if inValue {
          escaped += "&#\(scalar.value);"
        } else {
          escaped.unicodeScalars.append(scalar)
        }
      case 0x20...0x7E, 0xA0...0xD7FF, 0xE000...0xFFFD, 0x10000...:
        escaped.unicodeScalars.append(scalar)
      default: escaped += "\u{FFFD}"
      }
    }
    return escaped
  }
}
