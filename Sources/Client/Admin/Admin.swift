public import HTTP
public import IdentityToolkit
public import System

/// The administrator of a project, or of one of its tenants.
///
/// It has the isolation of its transport and is not shared between threads.
public final class Admin {
  /// The target project.
  public let target: Target

  /// The Identity Platform tenant of all calls; nil for the project itself.
  public let tenantID: String?

  /// The service account; on an emulator, used only to sign custom tokens.
  public var serviceAccount: ServiceAccount? { tokens?.account }

  let clock: any AuthClock
  let transport: any Transport
  /// Verifies tokens; shared with the administrators of tenants.
  let verifier: TokenVerifier
  private let connection: BackendConnection
  private let tokens: AccessTokens?
  /// The URL of the last call without a query; a cache, because most calls repeat it.
  private var lastAddress: (version: String, path: String, isInTenant: Bool, url: WebURL)?

  /// Creates an administrator; a real project needs a service account.
  public convenience init(
    target: Target, serviceAccount: ServiceAccount?, tenantID: String? = nil,
    transport: any Transport, clock: any AuthClock
  ) throws(AdminError) {
    if serviceAccount == nil, !target.isEmulated {
      throw AdminError(
        .invalidServiceAccount, "the project \(target.projectID) needs a service account's key",
        hint: "pass serviceAccount, or set GOOGLE_APPLICATION_CREDENTIALS to the key's path")
    }
    if let serviceAccount, !target.isEmulated, let own = serviceAccount.projectID,
      ExactString(own) != ExactString(target.projectID)
    {
      throw AdminError(
        .invalidServiceAccount,
        "the key of \(serviceAccount.clientEmail) is of the project \(own), and the target is "
          + target.projectID,
        hint: "use a key of \(target.projectID), or name the target of \(own)")
    }
    if let tenantID { try Self.check(segment: tenantID, "tenantID") }
    self.init(
      target: target, tenantID: tenantID, transport: transport, clock: clock,
      tokens: serviceAccount.map { AccessTokens($0, transport: transport, clock: clock) },
      verifier: TokenVerifier(target: target, transport: transport))
  }

  private init(
    target: Target, tenantID: String?, transport: any Transport, clock: any AuthClock,
    tokens: AccessTokens?, verifier: TokenVerifier
  ) {
    self.target = target
    self.tenantID = tenantID
    self.clock = clock
    self.transport = transport
    self.tokens = tokens
    self.verifier = verifier
    connection = BackendConnection(transport: transport)
  }

  /// Returns the administrator of a tenant in the same project, which shares the access token.
  public func forTenant(_ tenantID: String) throws(AdminError) -> Admin {
    try Self.check(segment: tenantID, "tenantID")
    return Admin(
      target: target, tenantID: tenantID, transport: transport, clock: clock, tokens: tokens,
      verifier: verifier)
  }

  /// Sends a call and returns its response's body.
  ///
  /// If the access token is rejected, tries once with a new one: a request that failed
  /// authentication has changed nothing.
  func call(_ request: AdminRequest) async throws(AdminError) -> JSONObject {
    guard let tokens, !target.isEmulated else {
      return try await outcome(of: request, bearer: Self.emulatorToken).get()
    }
    let token = try await tokens.token()
    let first = await attempt(request, bearer: token)
    guard case .failure(.refused(let refusal)) = first, refusal.status == 401 else {
      return try worded(first).get()
    }
    tokens.drop(token)
    return try await outcome(of: request, bearer: try await tokens.token()).get()
  }

  /// Returns the bearer token of this administrator, for other kinds of requests.
  public func accessToken() async throws(AdminError) -> Secret {
    guard let tokens, !target.isEmulated else { return Self.emulatorToken }
    return try await tokens.token()
  }

  /// The administrator's token for emulators.
  private static let emulatorToken = Secret("owner")

  func pause(for duration: Duration) async throws(AdminError) {
    do {
      try await transport.pause(for: duration)
    } catch {
      throw AdminError(.networkError, error.message, hint: error.hint)
    }
  }

  private func outcome(
    of request: AdminRequest, bearer: Secret
  ) async -> Result<JSONObject, AdminError> {
    worded(await attempt(request, bearer: bearer))
  }

  private func worded(
    _ result: Result<JSONObject, BackendError>
  ) -> Result<JSONObject, AdminError> {
    result.mapError { AdminError($0, of: serviceAccount, on: target) }
  }

  private func attempt(
    _ request: AdminRequest, bearer: Secret
  ) async -> Result<JSONObject, BackendError> {
    var message = HTTPRequest(method: request.method, url: url(of: request))
    message.headers.set("Authorization", "Bearer \(bearer.reveal())")
    if let body = request.body {
      message.headers.set("Content-Type", "application/json")
      message.body = JSON.object(body).encodedBytes()
    }
    do {
      return .success(
        try await connection.send(
          message, isRepeatable: request.isRepeatable,
          redaction: Redaction(body: request.body ?? [:], and: [bearer.reveal()])))
    } catch {
      return .failure(error)
    }
  }

  private func url(of request: AdminRequest) -> WebURL {
    guard request.query.isEmpty else {
      return address(of: request).with(fields: FormFields(request.query))
    }
    if let last = lastAddress, last.path == request.path, last.version == request.version,
      last.isInTenant == request.isInTenant
    {
      return last.url
    }
    let url = address(of: request)
    lastAddress = (request.version, request.path, request.isInTenant, url)
    return url
  }

  private func address(of request: AdminRequest) -> WebURL {
    var text = target.base(of: Endpoint.Service.identityToolkit.host)
    text += "/\(request.version)/projects/\(PercentEncoding.encode(target.projectID))"
    if request.isInTenant, let tenantID {
      text += "/tenants/\(PercentEncoding.encode(tenantID))"
    }
    if !request.path.hasPrefix(":"), !request.path.isEmpty { text += "/" }
    guard let url = WebURL(text + request.path) else {
      preconditionFailure("the address is built from constants and encoded names")
    }
    return url
  }

  /// Rejects an empty text, which the backend would treat as missing.
  static func check(_ text: String, _ name: String) throws(AdminError) {
    guard !text.isEmpty else {
      throw AdminError(.invalidArgument, "\(name) is empty", hint: "pass \(name)")
    }
  }

  /// Rejects a text that cannot be a path segment of a URL.
  ///
  /// Dot segments are resolved before sending: calls for a tenant named `..` would go to the project.
  static func check(segment text: String, _ name: String) throws(AdminError) {
    try check(text, name)
    guard text != ".", text != ".." else {
      throw AdminError(
        .invalidArgument, "\(name) cannot be '\(text)'",
        hint: "pass \(name) as the backend returns it")
    }
  }

  /// Rejects a text that cannot be a uid.
  static func check(uid: String) throws(AdminError) {
    guard (1...128).contains(uid.utf16.count) else {
      throw AdminError(
        .invalidArgument, "a uid has 1 to 128 characters, not \(uid.utf16.count)",
        hint: "pass the uid of an account")
    }
  }
}

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
}
