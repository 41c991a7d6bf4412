import System
import IdentityToolkit

/// A call of the administrators' API.
struct AdminRequest {
  var method = "POST"
  /// The version of the API, the first segment of the path.
  var version = "v1"
  /// The path after the project or tenant: `accounts:lookup`, or `:createSessionCookie`.
  var path: String
  /// Whether it concerns the tenant, if the administrator is one of a tenant.
  var isInTenant = true
  var query: [(String, String)] = []
  var body: JSONObject?

  /// Whether sending it twice does no harm; always true for GET.
  var isRepeatable = false

  init(_ path: String, _ body: JSONObject, isRepeatable: Bool = false) {
    self.path = path
    self.body = body
    self.isRepeatable = isRepeatable
  }

  init(get path: String, query: [(String, String)] = []) {
    method = "GET"
    self.path = path
    self.query = query
  }

  /// The values in the body that no error message may quote.
  var secrets: [String] { body.map { Self.secrets(in: .object($0)) } ?? [] }

  private static func secrets(in json: JSON) -> [String] {
    switch json {
    case .array(let items): items.flatMap(secrets)
    case .object(let object):
      object.entries.flatMap { entry in
        if let text = entry.value.string {
          return SecretNames.holdSecrets(entry.key) ? [text] : []
        }
        return secrets(in: entry.value)
      }
    default: []
    }
  }
}
