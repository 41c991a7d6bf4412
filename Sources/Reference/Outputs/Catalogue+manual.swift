extension Catalogue {
  /// The manual page of the library, `luath(3lua)`: every function with its summary.
  ///
  /// - Parameter version: The version in the page's title.
  public func manualPage(version: String) -> GeneratedFile {
    var text = ManualText.title("LUATH", "3lua", version)
    text += ".SH NAME\nluath \\- what Lua scripts of luath can use\n"
    text += ".SH DESCRIPTION\n"
    text += ManualText.paragraph(
      "Each function with its sentence. Those marked with an asterisk wait, and let other tasks go "
        + "on meanwhile. luath doc NAME tells of arguments, results and errors, with an example.")
    for page in pages {
      text += ".SH \(ManualText.escaped(page.name))\n" + ManualText.paragraph(page.summary)
      for entry in page.entries where entry.current == nil {
        text += ".TP\n.B \(ManualText.escaped(entry.signature))\(entry.waits ? " *" : "")\n"
        text += ManualText.line(entry.summary)
      }
    }
    text += ".SH SEE ALSO\n.BR luath (1)\n"
    return GeneratedFile("man3/luath.3lua", text)
  }
}

/// Text in the macros of man(7).
public enum ManualText {
  /// The first line of a page.
  public static func title(_ name: String, _ section: String, _ version: String) -> String {
    ".TH \(escaped(name)) \(section) \"\" \"luath \(version)\" \"luath manual\"\n"
  }

  /// A paragraph.
  public static func paragraph(_ text: String) -> String { ".PP\n" + line(text) }

  /// A line of text, protected from being read as a request.
  public static func line(_ text: String) -> String {
    let text = escaped(text)
    return (text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" : "") + text + "\n"
  }

  /// Text with troff's special characters escaped.
  public static func escaped(_ text: String) -> String {
    var out = ""
    for character in text where character != "`" {
      switch character {
      case "\\": out += "\\e"
      case "-": out += "\\-"
      case "…": out += "..."
      case "\n": out += " "
      default: out.append(character)
      }
    }
    return out
  }
}
