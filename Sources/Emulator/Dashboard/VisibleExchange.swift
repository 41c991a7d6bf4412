internal import System
internal import HTTP
internal import IdentityToolkit

/// An exchange with its secrets replaced, for users and tools.
struct VisibleExchange {
  let number: Int
  /// Milliseconds since 1970.
  let time: Int64
  let nanoseconds: Int64
  let method: String
  /// The path, with secret query parameters replaced.
  let path: String
  let names: ExchangeNames
  let status: Int
  /// `administrator`, `client`, or `page` for the dashboard.
  let caller: String
  let summary: String
  /// The affected account, if any.
  let uid: String?
  let request: ShownBody
  let response: ShownBody
  let tokens: [DecodedToken]

  init(_ exchange: LoggedExchange, in configuration: ProjectConfiguration) {
    let request = exchange.request
    number = exchange.number
    time = exchange.time
    nanoseconds = exchange.nanoseconds
    method = request.method
    path = Self.path(of: request.url)
    status = exchange.response.status
    let isForm =
      request.headers["Content-Type"]?.asciiLowercased.hasPrefix(
        "application/x-www-form-urlencoded") == true
    let asked = Self.body(request.body, isForm: isForm)
    let answered = Self.body(exchange.response.body, isForm: false)
    names = ExchangeNames(request, body: asked, mainProject: configuration.id)
    switch exchange.caller {
    case .page: caller = "page"
    case .network:
      // Apps authenticate to identity providers with the same header.
      let isToken = request.headers["Authorization"]?.asciiLowercased.hasPrefix("bearer ") == true
      caller = isToken && names.isAPI ? "administrator" : "client"
    }
    // A message of one half may repeat secrets of the other.
    var mask = Mask()
    if let asked { mask.learn(from: asked) }
    if let answered { mask.learn(from: answered) }
    mask.learn(from: Self.parameters(of: request.url))
    let shownRequest = asked.map { mask.cover($0) }
    let shownResponse = answered.map { mask.cover($0) }
    self.request = ShownBody(shownRequest, size: exchange.requestSize)
    self.response = ShownBody(shownResponse, size: exchange.responseSize)
    tokens =
      (asked.map(DecodedToken.all) ?? []) + (answered.map(DecodedToken.all) ?? [])
    let story = ExchangeStory(
      names: names, method: request.method, status: status, request: shownRequest,
      response: shownResponse, isAdmin: caller != "client",
      provider: configuration.name(ofProvider:))
    summary = story.text
    uid = story.uid
  }

  var isRefusal: Bool { status >= 400 }

  var json: JSON {
    var object: JSONObject = [
      "number": .integer(Int64(number)), "time": .string(Timestamp.text(milliseconds: time)),
      "milliseconds": .number(Double(nanoseconds / 1000) / 1000), "method": .string(method),
      "path": .string(path), "operation": .string(names.operation),
      "status": .integer(Int64(status)), "caller": .string(caller), "summary": .string(summary),
    ]
    object.set("project", names.project)
    object.set("tenant", names.tenant)
    object.set("localId", uid)
    object["request"] = request.json
    object["response"] = response.json
    if !tokens.isEmpty { object["tokens"] = .array(tokens.map(\.json)) }
    return .object(object)
  }

  // MARK: Reading

  private static func body(_ bytes: [UInt8], isForm: Bool) -> JSON? {
    guard !bytes.isEmpty else { return nil }
    if isForm { return object(FormFields(parsing: String(decoding: bytes, as: UTF8.self))) }
    return try? JSON.parse(bytes)
  }

  private static func parameters(of url: WebURL) -> JSON { object(url.fields) }

  private static func object(_ form: FormFields) -> JSON {
    var object = JSONObject()
    for pair in form.pairs { object[pair.name] = .string(pair.value) }
    return .object(object)
  }

  private static func path(of url: WebURL) -> String {
    let path = Mask.withoutTokens(url.path)
    guard url.query != nil else { return path }
    var mask = Mask()
    var shown: [String] = []
    for (name, value) in mask.cover(parameters(of: url)).object?.entries ?? [] {
      shown.append("\(PercentEncoding.encode(name))=\(value.string ?? "")")
    }
    return "\(path)?\(shown.joined(separator: "&"))"
  }
}

/// A body with its secrets replaced, or the reason why it is not shown.
struct ShownBody {
  let value: JSON?
  let size: Int

  init(_ value: JSON?, size: Int) {
    self.value = value
    self.size = size
  }

  /// The text shown instead of a body.
  var note: String? {
    if value != nil { return nil }
    return size == 0 ? "empty" : "\(size) bytes that are no JSON, or too long to be kept"
  }

  var json: JSON { value ?? note.map { .string("(\($0))") } ?? .null }
}

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

/// A short description of an exchange, from the visible parts of its bodies.
struct ExchangeStory {
  let text: String
  let uid: String?

  init(
    names: ExchangeNames, method: String, status: Int, request: JSON?, response: JSON?,
    isAdmin: Bool, provider: (String) -> String
  ) {
    let user = response?["users"]?[0]
    uid =
      response?["localId"]?.string ?? response?["user_id"]?.string ?? user?["localId"]?.string
      ?? request?["localId"]?.string
    guard status < 400 else {
      let message = response?["error"]?["message"]?.string ?? response?["error"]?.string
      text = "refused: \(message ?? String(status))"
      return
    }
    let email = response?["email"]?.string ?? request?["email"]?.string
    let who = email ?? response?["phoneNumber"]?.string ?? uid ?? "somebody"
    text = Self.text(
      names.operation, who: who, email: email, method: method, isAdmin: isAdmin, request, response,
      provider)
  }

  private static func text(
    _ operation: String, who: String, email: String?, method: String, isAdmin: Bool,
    _ request: JSON?, _ response: JSON?, _ name: (String) -> String
  ) -> String {
    switch operation {
    case "signUp":
      if isAdmin { return "created \(who)" }
      return email == nil ? "somebody signed in anonymously" : "\(who) signed up"
    case "signInWithPassword": return "\(who) signed in with a password"
    case "signInWithPhoneNumber": return "\(who) signed in by phone"
    case "signInWithEmailLink": return "\(who) signed in by an e-mailed link"
    case "signInWithCustomToken": return "\(who) signed in with a custom token"
    case "signInWithIdp":
      let provider = response?["providerId"]?.string.map(name) ?? "a provider"
      if response?["needConfirmation"]?.bool == true { return "\(who) must confirm at \(provider)" }
      if let message = response?["errorMessage"]?.string { return "refused: \(message)" }
      return "\(who) signed in with \(provider)"
    case "token": return "a token was refreshed"
    case "lookup": return "looked up \(count(response?["users"], "account"))"
    case "update":
      let fields = (request?.object?.keys ?? []).filter {
        !["localId", "idToken", "returnSecureToken", "targetProjectId"].contains($0)
      }
      return "changed \(who): \(fields.prefix(6).joined(separator: ", "))"
    case "delete": return "deleted \(who)"
    case "sendOobCode":
      return "mail to \(who): \(request?["requestType"]?.string ?? "a code")"
    case "resetPassword": return "a code from a mail was used for \(who)"
    case "sendVerificationCode":
      return "SMS to \(request?["phoneNumber"]?.string ?? "a phone")"
    case "batchCreate": return "imported \(count(request?["users"], "account"))"
    case "batchDelete": return "deleted \(count(request?["localIds"], "account"))"
    case "batchGet", "query": return "listed \(count(response?["users"], "account"))"
    case "accounts" where method == "DELETE": return "deleted all accounts"
    case "createTenant": return "made the tenant \(response?["tenantId"]?.string ?? "")"
    case "deleteTenant": return "deleted a tenant"
    case "configuration", "updateConfig", "updateTenant":
      return method == "GET" ? operation : "changed settings"
    default: return operation
    }
  }

  private static func count(_ list: JSON?, _ noun: String) -> String {
    let count = list?.array?.count ?? 0
    return "\(count) \(noun)\(count == 1 ? "" : "s")"
  }
}

/// The claims of a token in an exchange; without its signature the token cannot be used.
struct DecodedToken {
  /// The JSON member that held the token, such as `idToken`.
  let field: String
  /// The `alg` of its header, which is not verified.
  let algorithm: String
  let claims: JSONObject

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
    guard let token = TokenShape.read(text), var claims = token.claims.object else { return nil }
    for name in claims.keys where name == "jti" || SecretNames.mayHoldSecrets(name) {
      claims[name] = .string(Mask.dots)
    }
    self.field = field
    algorithm = token.header["alg"]?.string.map(Backend.printable) ?? "?"
    self.claims = claims
  }

  var json: JSON {
    ["field": .string(field), "algorithm": .string(algorithm), "claims": .object(claims)]
  }
}
