internal import Encoding
internal import OIDC

/// A page for people in one file: markup, style, script and data, with nothing to fetch.
///
/// Its policy names style and script by their hashes, so that nothing in the data can ever run, and
/// allows no address, so that opening a report tells nobody.
struct HTMLPage {
  private let styles: [String]
  private let scripts: [String]

  /// What became of journeys; its data are `{"events": [...]}`.
  static let report = HTMLPage(
    styles: ["base.css", "report.css"],
    scripts: [
      "dom.js", "model.js", "timeline.js", "exchange.js", "sequence.js", "failure.js", "list.js",
      "summary.js", "keyboard.js", "report.js",
    ])

  /// A run under load; its data are those of `LoadReport`.
  static let load = HTMLPage(
    styles: ["base.css", "load.css"], scripts: ["dom.js", "plot.js", "load.js"])

  /// How two servers differ; its data are those of `ComparisonReport`.
  static let comparison = HTMLPage(
    styles: ["base.css", "load.css", "compare.css"], scripts: ["dom.js", "compare.js"])

  /// What stands before and after the data.
  func parts(title: String) -> (head: String, tail: String) {
    var parts = [""]
    let style = styles.map(Self.file).joined()
    let script = scripts.map(Self.file).joined()
    for (index, piece) in Self.file("page.html").split(separator: "{{").enumerated() {
      guard index > 0, let end = piece.firstRange(of: "}}") else {
        parts[parts.count - 1] += piece
        continue
      }
      switch piece[..<end.lowerBound] {
      case "policy": parts[parts.count - 1] += Self.policy(style, script)
      case "title": parts[parts.count - 1] += Self.escaped(title)
      case "style": parts[parts.count - 1] += style
      case "script": parts[parts.count - 1] += script
      case "data": parts.append("")
      case let name: preconditionFailure("page.html names \(name), which no page has")
      }
      parts[parts.count - 1] += piece[end.upperBound...]
    }
    return (parts[0], parts[1])
  }

  /// A JSON document as it may stand in the page's data element.
  ///
  /// There only `</script` and `<!--` mean something to a browser (HTML, 4.12.1.3), and JSON can
  /// spell `<` without it.
  static func data(_ json: JSON) -> String {
    let bytes = json.encodedBytes()
    guard bytes.contains(UInt8(ascii: "<")) else { return String(decoding: bytes, as: UTF8.self) }
    var spelled: [UInt8] = []
    spelled.reserveCapacity(bytes.count + 64)
    for byte in bytes {
      if byte == UInt8(ascii: "<") { spelled += "\\u003c".utf8 } else { spelled.append(byte) }
    }
    return String(decoding: spelled, as: UTF8.self)
  }

  private static func policy(_ style: String, _ script: String) -> String {
    func hash(_ text: String) -> String {
      "'sha256-\(Base64.encode(Digest.sha256(Array(text.utf8))))'"
    }
    return "default-src 'none'; img-src data:; style-src \(hash(style)); "
      + "script-src \(hash(script)); base-uri 'none'; form-action 'none'"
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
  }

  private static func file(_ name: String) -> String {
    guard let text = EmbeddedHTML.files[name] else {
      preconditionFailure("\(name) is not in Sources/Runner/HTML")
    }
    return text.description
  }
}
