import HTTP
import Host
import OIDC
import System

/// One request of a scenario, in the format of the conformance corpus.
///
/// `client` and `admin` are short forms for path, API key and authorization, such as `"client": "accounts:signUp"`,
/// `"admin": "accounts:lookup"`, `"admin": "v2/tenants"` or `"client": "token"`.
struct Step: Sendable {
  let name: String
  /// The call as written in the catalog: `accounts:signUp`, `v2/tenants`.
  let call: String
  let method: String
  /// The host of the service, then the path.
  let path: String
  let query: JSONObject
  let headers: JSONObject
  let body: JSON?
  let form: JSON?
  let raw: String?
  /// The values to save for later steps: variable names, each with a path in the response.
  let save: JSONObject
  /// Arrays whose order is not compared.
  let unordered: [String]
  /// The milliseconds to wait before the request, for what servers compare in whole seconds.
  let pause: Int64
  /// The seconds to move the emulator's clock forward before the request.
  let advance: Int64
  /// Whether it is only a preparation, of which just the status is compared.
  let isPreparation: Bool
  /// Whether the signature and the header of tokens are compared too.
  let comparesTokens: Bool

  private static let known: Set<String> = [
    "name", "client", "admin", "path", "method", "query", "headers", "body", "form", "raw", "save",
    "unordered", "prepare", "tokens", "pause_ms", "advance_seconds",
  ]

  init(_ json: JSON, _ place: String) throws(CatalogueError) {
    if let key = json.object?.keys.first(where: { !Self.known.contains($0) }) {
      throw CatalogueError("\(place): a step has no member \(key)")
    }
    var query = json["query"]?.object ?? [:]
    var headers = json["headers"]?.object ?? [:]
    let call: String
    if let client = json["client"]?.string {
      call = client
      path = Self.clientPath(client)
      if query["key"] == nil { query["key"] = "{{key}}" }
    } else if let admin = json["admin"]?.string {
      call = admin
      path = Self.adminPath(admin)
      headers["Authorization"] = .string(Self.administrator)
    } else if let whole = json["path"]?.string {
      call = whole
      path = whole
    } else {
      throw CatalogueError("\(place): a step needs client, admin or path")
    }
    self.call = call
    name = json["name"]?.string ?? call
    pause = json["pause_ms"]?.integer ?? 0
    advance = json["advance_seconds"]?.integer ?? 0
    body = json["body"]
    form = json["form"]
    raw = json["raw"]?.string
    method = json["method"]?.string ?? "POST"
    self.query = query
    self.headers = headers
    save = json["save"]?.object ?? [:]
    unordered = json["unordered"]?.array?.compactMap(\.string) ?? []
    isPreparation = json["prepare"]?.bool == true
    comparesTokens = json["tokens"]?.bool == true
  }

  /// The administrator's authorization at emulators; at a real project the peer sends an access token instead.
  static let administrator = "Bearer owner"

  private static let toolkit = "/identitytoolkit.googleapis.com"

  private static func clientPath(_ call: String) -> String {
    if call == "token" { return "/securetoken.googleapis.com/v1/token" }
    return call.hasPrefix("v") && call.contains("/")
      ? "\(toolkit)/\(call)" : "\(toolkit)/v1/\(call)"
  }

  private static func adminPath(_ call: String) -> String {
    let isNew = call.hasPrefix("v2/")
    let rest = isNew ? String(call.dropFirst(3)) : call
    return "\(toolkit)/\(isNew ? "v2" : "v1")/projects/{{project}}"
      + (rest.hasPrefix(":") || rest.isEmpty ? rest : "/\(rest)")
  }
}

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
