import Encoding
import IdentityToolkit

/// One call of the interface for administrators.
struct AdminRequest {
  /// The HTTP method.
  var method = "POST"
  /// The version of the interface, the first segment of the path.
  var version = "v1"
  /// What follows the project or tenant: `accounts:lookup`, or `:createSessionCookie`.
  var path: String
  /// Whether it is about the tenant, where the administrator is one of a tenant.
  var isInTenant = true
  /// Parameters of the query.
  var query: [(String, String)] = []
  /// The body; nil sends none.
  var body: JSONObject?

  /// Whether sending it twice does no harm; every GET may be sent twice.
  var isRepeatable = false

  /// Describes a call with a body.
  init(_ path: String, _ body: JSONObject, isRepeatable: Bool = false) {
    self.path = path
    self.body = body
    self.isRepeatable = isRepeatable
  }

  /// Describes a call without a body.
  init(get path: String, query: [(String, String)] = []) {
    method = "GET"
    self.path = path
    self.query = query
  }

  /// What of the body no error may quote.
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
