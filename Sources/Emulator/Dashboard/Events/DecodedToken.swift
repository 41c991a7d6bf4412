internal import System
internal import OIDC

/// The claims of a token in an exchange; without its signature the token cannot be used.
struct DecodedToken {
  /// The JSON member that held the token, such as `idToken`.
  let field: String
  /// The `alg` of its header, which is not verified.
  let algorithm: String
  let claims: JSONObject

  /// Claims whose values are secret.
  private static let secretClaims = ["nonce", "at_hash", "c_hash", "jti", "sid"]

  /// The signed tokens in a body, at any depth, without duplicates and at most eight.
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
      // `postBody` is a form that an app passes on from a provider.
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
    // An unsigned token has an empty third part.
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
