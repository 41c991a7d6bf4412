import System

/// The kind of a body, for display.
public enum BodyKind {
  case json, form, html, text, binary

  /// Determines the kind by Content-Type, or by content when there is none.
  init(_ type: String?, _ body: [UInt8]) {
    let mime = Self.mimeType(type)
    switch mime {
    case "": self = Self.guess(body)
    case "application/x-www-form-urlencoded": self = .form
    case "text/html", "application/xhtml+xml": self = .html
    case _ where mime.hasSuffix("/json") || mime.hasSuffix("+json"): self = .json
    case _
    where mime.hasPrefix("text/") || mime.hasSuffix("xml") || mime.hasSuffix("jwt")
      || mime.hasSuffix("javascript"):
      self = .text
    default: self = .binary
    }
  }

  private static func guess(_ body: [UInt8]) -> BodyKind {
    switch body.first(where: { $0 > 0x20 }) {
    case UInt8(ascii: "{")?, UInt8(ascii: "[")?: .json
    case UInt8(ascii: "<")? where isPage(body): .html
    default: body.contains { $0 < 0x09 } ? .binary : .text
    }
  }

  /// Whether it contains an element that distinguishes HTML from other XML.
  private static func isPage(_ body: [UInt8]) -> Bool {
    let text = String(decoding: body, as: UTF8.self).lowercased()
    return ["<html", "<!doctype html", "<form", "<body"].contains { text.contains($0) }
  }

  /// The media type without parameters, in lower case.
  public static func mimeType(_ type: String?) -> String {
    let bytes = (type ?? "").utf8.prefix { $0 != UInt8(ascii: ";") }
    if bytes.allSatisfy({ $0 != 0x20 && !(0x41...0x5A).contains($0) }) {
      return String(Substring(bytes))
    }
    return String(
      decoding: bytes.lazy.filter { $0 != 0x20 }.map {
        (0x41...0x5A).contains($0) ? $0 | 0x20 : $0
      },
      as: UTF8.self)
  }
}

extension JSON {
  /// Parses a text that is a JSON object or array; nil for any other text.
  static func structure(_ text: String) -> JSON? {
    let first = text.utf8.first { $0 > 0x20 }
    guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { return nil }
    return try? JSON.parse(Array(text.utf8))
  }
}
