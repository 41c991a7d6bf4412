public import Encoding
public import HTTP
public import IdentityToolkit

/// The administrator of one project, or of one tenant of it.
///
/// Lives where its transport lives and is not shared between threads.
public final class Admin {
  /// The project and where its backend is.
  public let target: Target

  /// The Identity Platform tenant that calls are about; nil for the project itself.
  public let tenantID: String?

  /// Who asks on a real project; on an emulator only what signs custom tokens.
  public var serviceAccount: ServiceAccount? { tokens?.account }

  let clock: any AdminClock
  let transport: any Transport
  /// Checks tokens, for this administrator and those of tenants made from it.
  let verifier: TokenVerifier
  private let connection: BackendConnection
  private let tokens: AccessTokens?
  /// Where the last call without a query went: most go to where the one before went.
  private var lastAddress: (version: String, path: String, isInTenant: Bool, url: WebURL)?

  /// Makes an administrator; a real project needs a service account.
  public convenience init(
    target: Target, serviceAccount: ServiceAccount?, tenantID: String? = nil,
    transport: any Transport, clock: any AdminClock
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
    target: Target, tenantID: String?, transport: any Transport, clock: any AdminClock,
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

  /// The administrator of a tenant of the same project, who shares this one's access token.
  public func forTenant(_ tenantID: String) throws(AdminError) -> Admin {
    try Self.check(segment: tenantID, "tenantID")
    return Admin(
      target: target, tenantID: tenantID, transport: transport, clock: clock, tokens: tokens,
      verifier: verifier)
  }

  /// Sends a call and returns its answer's body.
  ///
  /// When the access token is refused, another one is tried, once: a request that was not let in
  /// has changed nothing.
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

  /// What requests of this administrator carry as bearer token, for who sends requests of another shape.
  public func accessToken() async throws(AdminError) -> Secret {
    guard let tokens, !target.isEmulated else { return Self.emulatorToken }
    return try await tokens.token()
  }

  /// What emulators take for an administrator's token.
  private static let emulatorToken = Secret("owner")

  /// Waits between two requests.
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
          redaction: Redaction(secrets: [bearer.reveal()] + request.secrets)))
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
}
