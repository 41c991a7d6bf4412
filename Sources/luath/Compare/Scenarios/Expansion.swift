import Host
import System
import OIDC

/// Replaces the variables in a step, and builds the values of objects such as `{"$jwt": …}`.
struct Expansion {
  /// A variable that no earlier step saved.
  struct Unset: Error { let name: String }

  var variables: [String: JSON] = [:]
  /// The seconds by which the server's clock is ahead.
  var secondsAhead: Int64 = 0
  /// Creates a custom token for a uid with claims.
  let mint: (String, JSONObject?) async throws -> String

  func expand(_ value: JSON) async throws -> JSON {
    switch value {
    case .string(let text): return try expand(text: text)
    case .array(let items):
      var expanded: [JSON] = []
      for item in items { expanded.append(try await expand(item)) }
      return .array(expanded)
    case .object(let object):
      if object.count == 1, let (name, argument) = object.entries.first, name.hasPrefix("$") {
        return try await build(name, argument)
      }
      var expanded = JSONObject()
      for (key, item) in object.entries {
        expanded[try plain(expand(text: key))] = try await expand(item)
      }
      return .object(expanded)
    default: return value
    }
  }

  /// A text with its variables replaced; a text that is one variable keeps the type of the value.
  func expand(text: String) throws(Unset) -> JSON {
    guard text.contains("{{") else { return .string(text) }
    var result = ""
    var rest = text[...]
    while let start = rest.firstRange(of: "{{"),
      let end = rest[start.upperBound...].firstRange(of: "}}")
    {
      let name = String(rest[start.upperBound..<end.lowerBound])
      guard let value = variables[name] else { throw Unset(name: name) }
      if start.lowerBound == text.startIndex, end.upperBound == text.endIndex { return value }
      result += rest[..<start.lowerBound] + plain(value)
      rest = rest[end.upperBound...]
    }
    return .string(result + rest)
  }

  /// All texts in a value, with variables replaced.
  ///
  /// This includes texts in the arguments of `$` objects, because a custom token names an account too.
  func texts(in value: JSON) -> [JSON] {
    switch value {
    case .string(let text): (try? expand(text: text)).map { [$0] } ?? []
    case .array(let items): items.flatMap(texts)
    case .object(let object): object.entries.flatMap { texts(in: $0.value) }
    default: []
    }
  }

  /// A value as part of a text.
  func plain(_ value: JSON) -> String { value.string ?? value.encoded() }

  private func build(_ name: String, _ argument: JSON) async throws -> JSON {
    if name == "$each" {
      var rows: [JSON] = []
      for index in 0..<Int(argument[1]?.integer ?? 0) {
        var inner = self
        inner.variables["i"] = .integer(Int64(index))
        rows.append(try await inner.expand(argument[0] ?? .null))
      }
      return .array(rows)
    }
    let value = try await expand(argument)
    switch name {
    case "$json": return .string(value.encoded())
    case "$base64": return .string(Base64.encode(Array(plain(value).utf8)))
    case "$form":
      let pairs = value.object?.entries.map { ($0.key, plain($0.value)) } ?? []
      return .string(FormFields(pairs).encoded)
    case "$repeat":
      let count = Int(value[1]?.integer ?? 0)
      return .string(String(repeating: value[0]?.string ?? "", count: count))
    case "$jwt": return .string(Self.unsigned(value))
    case "$customToken":
      return .string(try await mint(value["uid"]?.string ?? "", value["claims"]?.object))
    case "$totp":
      return .string(value.string.flatMap(code) ?? "000000")
    default: return [name: value]
    }
  }

  private static func unsigned(_ parts: JSON) -> String {
    var header: JSONObject = ["alg": "none", "typ": "JWT"]
    for (key, value) in parts["header"]?.object?.entries ?? [] { header[key] = value }
    let segments = [JSON.object(header), parts["claims"] ?? [:]].map { $0.encodedBase64URL() }
    return "\(segments[0]).\(segments[1]).\(parts["signature"]?.string ?? "")"
  }

  /// The code of an authenticator app at the server's time.
  private func code(_ secret: String) -> String? {
    guard let key = Base32.decode(secret) else { return nil }
    let totp = TOTP(secret: SecretBytes(key))
    return totp.code(at: totp.step(at: Timestamp.now / 1000 + secondsAhead))
  }
}
