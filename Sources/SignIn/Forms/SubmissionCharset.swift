internal import CXML

/// The charset of a form submission: that of its page (HTML, "pick an encoding for the form").
struct SubmissionCharset: Sendable {
  /// The charset's name, as sent in `_charset_` fields.
  let name: String

  static let utf8 = SubmissionCharset("UTF-8")

  init(_ name: String?) {
    let name = name.map { PageForm.trimmed($0).lowercased() } ?? "utf-8"
    switch name {
    case "iso-8859-1", "latin1", "us-ascii", "ascii", "cp1252", "windows-1252":
      // The Encoding standard maps all of these names to windows-1252.
      self.name = "windows-1252"
    case "", "utf8", "utf-8", "utf-16", "utf-16le", "utf-16be", "iso-2022-jp":
      // UTF-16 cannot be submitted; ISO-2022-JP is stateful, which encoding character by character breaks.
      self.name = "UTF-8"
    default:
      let isSound = name.utf8.count <= 40 && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
      self.name = isSound ? name : "UTF-8"
    }
  }

  /// Encodes a text; characters outside the charset become character references.
  func bytes(_ text: String) -> [UInt8] {
    guard name != "UTF-8", !text.utf8.allSatisfy({ $0 < 0x80 }),
      let handler = xmlFindCharEncodingHandler(name)
    else { return Array(text.utf8) }
    defer { xmlCharEncCloseFunc(handler) }
    return text.unicodeScalars.flatMap { scalar -> [UInt8] in
      if scalar.isASCII { return [UInt8(scalar.value)] }
      return Self.encoded(scalar, handler) ?? Array("&#\(scalar.value);".utf8)
    }
  }

  private static func encoded(
    _ scalar: Unicode.Scalar, _ handler: xmlCharEncodingHandlerPtr
  ) -> [UInt8]? {
    guard let input = xmlBufferCreate(), let output = xmlBufferCreate() else { return nil }
    defer {
      xmlBufferFree(input)
      xmlBufferFree(output)
    }
    let text = Array(String(scalar).utf8)
    guard xmlBufferAdd(input, text, Int32(text.count)) == 0,
      xmlCharEncOutFunc(handler, output, input) > 0, xmlBufferLength(input) == 0,
      let content = xmlBufferContent(output)
    else { return nil }
    let bytes = Array(UnsafeBufferPointer(start: content, count: Int(xmlBufferLength(output))))
    // libxml2 writes its own reference for what it cannot encode.
    return bytes.starts(with: Array("&#".utf8)) ? nil : bytes
  }
}
