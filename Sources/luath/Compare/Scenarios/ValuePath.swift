import Host
import System
import HTTP
import OIDC

/// A dotted path to a value: `users.0.localId`, `-1` for the last row, `\.` for a dot in a key.
enum ValuePath {
  static func value(at path: String, in document: JSON) -> JSON? {
    var value = document
    for part in parts(path) {
      if case .array(let rows) = value {
        guard let index = Int(part) else { return nil }
        guard let row = value[index < 0 ? rows.count + index : index] else { return nil }
        value = row
      } else {
        guard let member = value[part] else { return nil }
        value = member
      }
    }
    return value
  }

  /// The value for a `save`.
  ///
  /// Its source is a path, `jwt:path#claim`, `url:path#parameter`, `header:name`, or `segment:path` for the last
  /// segment of a resource name.
  static func saved(_ source: String, _ headers: HTTPHeaders, _ body: JSON) -> JSON? {
    if let name = rest(of: source, after: "header:") { return headers[name].map(JSON.string) }
    if let path = rest(of: source, after: "segment:") {
      return value(at: path, in: body)?.string?.split(separator: "/").last.map {
        .string(String($0))
      }
    }
    if let place = rest(of: source, after: "jwt:") {
      let (path, claim) = halves(place)
      guard let text = value(at: path, in: body)?.string, let token = try? JWT(decoding: text)
      else { return nil }
      return value(at: claim, in: .object(token.claims))
    }
    if let place = rest(of: source, after: "url:") {
      let (path, name) = halves(place)
      guard let text = value(at: path, in: body)?.string, let url = WebURL(text) else { return nil }
      return url.fields[name].map(JSON.string)
    }
    return value(at: source, in: body)
  }

  private static func rest(of source: String, after word: String) -> String? {
    source.hasPrefix(word) ? String(source.dropFirst(word.count)) : nil
  }

  private static func halves(_ text: String) -> (String, String) {
    let parts = text.split(separator: "#", maxSplits: 1).map(String.init)
    return (parts.first ?? "", parts.count > 1 ? parts[1] : "")
  }

  private static func parts(_ path: String) -> [String] {
    var parts = [""]
    var isEscaped = false
    for character in path {
      if isEscaped {
        parts[parts.count - 1].append(character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else if character == "." {
        parts.append("")
      } else {
        parts[parts.count - 1].append(character)
      }
    }
    return parts
  }
}
