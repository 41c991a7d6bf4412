internal import Encoding
internal import OIDC

/// A token of an exchange, by what it says; without its signature it opens nothing.
struct DecodedToken {
  /// The member it was found under, such as `idToken`.
  let field: String
  /// How it claims to be signed.
  let algorithm: String
  let claims: JSONObject

  /// Claims that are good for something by themselves.
  private static let secretClaims = ["nonce", "at_hash", "c_hash", "jti", "sid"]

  /// The signed tokens of a body, at whatever depth, each once.
  static func all(in body: JSON) -> [DecodedToken] {
    var found: [DecodedToken] = []
    var seen: Set<ExactString> = []
    collect(body, under: "", &found, &seen)
    return found
  }

  private static func collect(
    _ value: JSON, under key: String, _ found: inout [DecodedToken], _ seen: inout Set<ExactString>
  ) {
    switch value {
    case .object(let object):
      for (name, member) in object.entries { collect(member, under: name, &found, &seen) }
    case .array(let items):
      for item in items { collect(item, under: key, &found, &seen) }
    case .string(let text):
      // What an app hands on from a provider is a form.
      if key == "postBody" {
        for pair in FormFields(parsing: text).pairs {
          collect(.string(pair.value), under: pair.name, &found, &seen)
        }
      } else if text.utf8.starts(with: "ey".utf8), found.count < 8,
        let token = DecodedToken(text, field: key), seen.insert(ExactString(text)).inserted
      {
        found.append(token)
      }
    case .null, .bool, .integer, .number: return
    }
  }

  private init?(_ text: String, field: String) {
    // Unsigned tokens have an empty third part.
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Self.object(parts[0]), var claims = Self.object(parts[1])
    else { return nil }
    for name in Self.secretClaims where claims[name] != nil { claims[name] = .string(Mask.dots) }
    self.field = field
    algorithm = header["alg"]?.string.map(Backend.printable) ?? "?"
    self.claims = claims
  }

  private static func object(_ part: Substring) -> JSONObject? {
    guard let bytes = Base64URL.decode(String(part)) else { return nil }
    return (try? JSON.parse(bytes))?.object
  }

  var json: JSON {
    ["field": .string(field), "algorithm": .string(algorithm), "claims": .object(claims)]
  }
}
