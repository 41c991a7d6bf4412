internal import System
internal import HTTP

/// The operation and target of a request, determined only when an exchange is viewed.
struct ExchangeNames {
  /// The name of the operation, such as `signUp`.
  let operation: String
  /// Whether it is an operation of Google's API.
  let isAPI: Bool
  /// The project; nil when the request has none.
  var project: String?
  var tenant: String?

  init(_ request: HTTPRequest, body: JSON?, mainProject: String) {
    let path = request.url.path
    let routed = Router.shared.find(LegacyPath.modern(path, takesAdmin: true))
    isAPI = routed != nil
    if let routed {
      let route = routed.methods[request.method]
      operation = route?.operation?.rawValue ?? route?.name ?? "unknown method"
      project = routed.ids.first ?? body?["targetProjectId"]?.string ?? mainProject
      tenant = routed.hasTenant && routed.ids.count > 1 ? routed.ids[1] : body?["tenantId"]?.string
      return
    }
    let parts = path.split(separator: "/").map { PercentEncoding.decode(String($0)) ?? "" }
    if parts.starts(with: ["emulator", "v1", "projects"])
      || parts.starts(with: ["emulator", "ui", "projects"]),
      parts.count > 3
    {
      project = parts[3]
      if parts.count > 5, parts[4] == "tenants" { tenant = parts[5] }
    }
    if let control = Control(path: path) {
      // The name of the case, without its associated values.
      operation = String(String(describing: control).prefix { $0 != "(" })
    } else if let route = ProviderRoute(path: path) {
      let endpoint = String(String(describing: route.endpoint).prefix { $0 != "(" })
      operation = "\(route.providerID) \(endpoint)"
    } else {
      operation = "unknown path"
    }
  }
}
