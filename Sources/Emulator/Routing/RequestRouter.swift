internal import System
internal import HTTP
internal import IdentityToolkit

/// Routes requests to the backend: finds the operation, the caller and the project.
///
/// The order of the checks is Google's: path and method, credentials, body, project and tenant, operation.
final class RequestRouter {
  let context: EmulatorContext
  let projects: Projects
  let loop: EventLoop
  private var lastRoute: (path: ExactString, routes: RoutedPath?)?

  init(context: EmulatorContext, transport: any Transport, loop: EventLoop) {
    self.context = context
    self.loop = loop
    projects = Projects(
      context: context,
      network: Network(transport: transport, clock: context.clock, patience: context.patience)
    )
  }

  var rules: Rules { context.rules }

  /// How to handle a request whose path belongs to no identity provider.
  enum Turn {
    case done(ServerResponse)
    case waits(Call, Backend)
    case struck(Call, Backend, Faults.Strike)
  }

  func turn(_ request: HTTPRequest) -> Turn {
    if request.method == "OPTIONS" { return .done(CrossOrigin.preflight(request)) }
    let errors = errorShape(of: request.url.path)
    do throws(Refusal) {
      if !rules[.protobufJSON] { try Self.checkEscapes(of: request.url.path) }
      let request = try LegacyPath.modern(request, rules) ?? request
      guard let path = route(request.url.path) else {
        return .done(try answerControl(request))
      }
      // In Firebase's emulator an empty id means the main project, for every caller.
      guard path.ids.first?.isEmpty != true || !rules[.checkedAPIKeys] else { throw .notFound }
      guard let route = path.methods[request.method] else {
        // The error shows an old path by its current name, without its parameters.
        let modern = LegacyPath.modern(request.url.path, takesAdmin: false)
        let target = modern == request.url.path ? request.url.pathAndQuery : modern
        return .done(
          rules[.googleAnswers]
            ? Self.noSuchPath
            : Self.wrongMethod(request, at: target, allowed: path.methods.keys.sorted()))
      }
      var call = try call(request, route, path)
      call.errors = errors
      let backend = try backend(for: call, path, takesKeyOnly: route.takesKeyOnly)
      if let strike = try hinder(call, backend) { return .struck(call, backend, strike) }
      guard let body = try backend.perform(call) else { return .waits(call, backend) }
      return .done(response(body))
    } catch {
      return .done(Self.response(error, errors))
    }
  }

  /// Refuses a path with a bad escape, as does Express, the library of Firebase's emulator.
  private static func checkEscapes(of path: String) throws(Refusal) {
    guard path.utf8.contains(UInt8(ascii: "%")), PercentEncoding.decode(path) == nil else { return }
    throw Refusal(status: 400, plainBody: ["statusCode": 400, "status": 400])
  }

  /// The routes of a path; the last result is cached, since a caller mostly repeats one path.
  private func route(_ path: String) -> RoutedPath? {
    let path = ExactString(string: path)
    if let lastRoute, lastRoute.path == path { return lastRoute.routes }
    let routes = Router.shared.find(
      LegacyPath.modern(path.string, takesAdmin: rules[.furtherOperations]))
    lastRoute = (path, routes)
    return routes
  }

  /// Refuses a call whose quota is used up, and returns the fault to inject, if any.
  private func hinder(_ call: Call, _ backend: Backend) throws(Refusal) -> Faults.Strike? {
    let project = backend.project
    try context.quotas?.spend(
      call, project: project.id,
      signUpsPerHour: project.configuration.signUpQuota?.quota ?? Quotas.signUpsPerHour,
      now: context.clock.seconds)
    guard !context.faults.isEmpty else { return nil }
    return context.faults.strike(call.operation, project: project.id)
  }

  /// The response of an operation that has to wait for a provider or a function.
  func finish(_ call: Call, _ backend: Backend) async -> ServerResponse {
    do throws(Refusal) {
      return response(try await backend.performWaiting(call))
    } catch {
      return Self.response(error, call.errors)
    }
  }

  /// The response of an operation that succeeded.
  func response(_ body: JSONObject) -> ServerResponse {
    ServerResponse(json: .object(rules[.googleAnswers] ? body.withoutEmptyLists : body))
  }

  static func response(_ refusal: Refusal, _ shape: ErrorShape) -> ServerResponse {
    ServerResponse(
      status: refusal.status, headers: ["Content-Type": "application/json; charset=utf-8"],
      body: refusal.body(shape).encodedBytes(pretty: true))
  }

  /// The shape of error responses at a path; Google's v2 API and token service have one of their own.
  private func errorShape(of path: String) -> ErrorShape {
    guard rules[.googleAnswers] else { return .emulator }
    let second = [
      "/identitytoolkit.googleapis.com/v2/", "/identitytoolkit.googleapis.com/admin/",
      "/securetoken.googleapis.com/",
    ]
    return second.contains { path.utf8.starts(with: $0.utf8) } ? .second : .first
  }

  /// The response of Google's servers to a path or method that the API does not have: an HTML page.
  static let noSuchPath = ServerResponse(
    status: 404,
    text: "<!DOCTYPE html>\n<html lang=en>\n<title>Error 404 (Not Found)!!1</title>\n"
      + "<p><b>404.</b> The requested URL was not found on this server.\n",
    type: "text/html; charset=UTF-8")

  static func wrongMethod(
    _ request: HTTPRequest, at target: String? = nil, allowed: [String]
  ) -> ServerResponse {
    ServerResponse(
      status: 405,
      json: [
        "message": .string(
          "Method \(request.method) not allowed for "
            + Backend.printable(target ?? request.url.pathAndQuery))
      ],
      headers: ["Allow": allowed.joined(separator: ", ")])
  }

  // MARK: The call

  private func call(
    _ request: HTTPRequest, _ route: Route, _ path: RoutedPath
  ) throws(Refusal) -> Call {
    let query = request.url.fields
    if !rules[.protobufJSON] { try RequestBody.checkType(of: request, of: route) }
    let isAdmin = try authenticate(request, query, route)
    try QueryParameter.check(query, against: route.parameters, rules)
    let fields = try Fields(Self.body(of: request, route, rules))
    guard let operation = route.operation, !route.isBeyond || rules[.furtherOperations] else {
      throw .notEmulated(route.name)
    }
    var call = Call(
      operation: operation, fields: fields, query: query, isAdmin: isAdmin, ids: path.ids,
      collection: route.collection)
    call.caller = Caller(
      language: request.headers["X-Firebase-Locale"], userAgent: request.headers["User-Agent"])
    return call
  }

  /// Whether the caller is an administrator; refuses a request with neither key nor token.
  private func authenticate(
    _ request: HTTPRequest, _ query: FormFields, _ route: Route
  ) throws(Refusal) -> Bool {
    if !route.takesKeyOnly, let header = request.headers["Authorization"] {
      let words = header.split(separator: " ", maxSplits: 1)
      if words.count == 2, String(words[0]).asciiLowercased == "bearer" {
        let isOwner = String(words[1]).asciiLowercased == "owner"
        // Google's access tokens begin like this; the emulator cannot check them.
        guard isOwner || words[1].utf8.starts(with: "ya29.".utf8) else { throw .wrongBearer }
        return true
      }
    }
    let keys = query.all("key").count == 1 ? query.all("key") : []
    let key = (keys + [request.headers["X-Goog-Api-Key"] ?? ""]).first { !$0.isEmpty } ?? ""
    if key.isEmpty, route.isPublic, rules[.furtherOperations] { return false }
    guard !key.isEmpty else {
      throw rules[.googleAnswers] ? .unregisteredCaller : .missingAPIKey
    }
    if rules[.checkedAPIKeys], let expected = context.configuration.apiKey,
      !constantTimeEqual(key, expected.reveal())
    {
      let service =
        route.service == .secureToken
        ? "securetoken.googleapis.com" : "identitytoolkit.googleapis.com"
      throw .wrongAPIKey(of: service)
    }
    if rules[.googleAnswers], route.operation == .createSessionCookie { throw .cookiesTakeNoKey }
    return false
  }

  /// The body, read as the message of the operation.
  private static func body(
    of request: HTTPRequest, _ route: Route, _ rules: Rules
  ) throws(Refusal) -> JSONObject {
    guard let message = route.message else { return JSONObject() }
    let json = try RequestBody.json(
      of: request, rules: rules, takesForm: route.service == .secureToken)
    guard !rules[.protobufJSON] else {
      return try Transcoder.read(json, as: message, route.naming)
    }
    do throws(SchemaFault) {
      return try Schema.shared.check(json, as: message, isProtobuf: false)
    } catch {
      throw error.refusal
    }
  }

  // MARK: The project

  private func backend(
    for call: Call, _ path: RoutedPath, takesKeyOnly: Bool
  ) throws(Refusal) -> Backend {
    let fields = call.fields
    let inPath = path.ids.first.flatMap { $0.isEmpty ? nil : $0 }
    let named = inPath ?? fields.text("targetProjectId")
    // Where an administrator's token is not accepted, Firebase's emulator lets every caller name a project.
    let isFree = takesKeyOnly && !rules[.checkedAPIKeys]
    guard named == nil || call.isAdmin || isFree else {
      throw Refusal(
        .insufficientPermission, "Only authenticated requests can specify target_project_id.")
    }
    try requireSingleProject(named)
    let project = named.map { projects[$0] } ?? projects.main
    var tenant = path.hasTenant ? path.ids[1] : nil
    if tenant?.isEmpty == true { tenant = nil }
    // Measured: the token service ignores the field.
    if call.operation != .token || !rules[.googleAnswers] {
      tenant = try Self.agreed(tenant, fields.text("tenantId"))
      // A listing names its tenant in the query.
      if !path.hasTenant, call.operation == .batchGet || rules[.furtherOperations] {
        tenant = try Self.agreed(tenant, call.query["tenantId"])
      }
    }
    tenant = try agreed(tenant, tenantOfToken: fields)
    if let tenant, call.operation.managesTenant {
      return try project.managedBackend(tenant: tenant)
    }
    return try project.backend(
      tenant: try agreed(tenant, tenantOfRefreshToken: fields, in: project))
  }

  /// In single-project mode, refuses every project but the emulator's own.
  func requireSingleProject(_ named: String?) throws(Refusal) {
    guard context.isSingleProject, let named, !named.isEmpty,
      !sameText(named, projects.main.id)
    else { return }
    throw Refusal(
      verbatim:
        "Multiple projectIds are not recommended in single project mode. Requested project ID "
        + "\(named), but the emulator is configured for \(projects.main.id). To opt-out of single "
        + "project mode add/set the '\"singleProjectMode\"' false' property in the firebase.json "
        + "emulators config.")
  }

  /// The tenant of the caller's ID token; a tenant that the request names must be the same.
  private func agreed(
    _ tenant: String?, tenantOfToken fields: Fields
  ) throws(Refusal) -> String? {
    guard let token = fields.text("idToken"), let claims = context.tokenReader.claims(of: token)
    else {
      return tenant
    }
    let isLegacy = LegacyToken.has(claims)
    let own = (isLegacy ? claims["tenant"] : claims["firebase"]?["tenant"])?.string
    guard rules[.knownTenantsOnly] else { return try Self.agreed(tenant, own) }
    guard let tenant else { return own }
    // Measured: this check comes before the one whether the tenant exists.
    guard sameText(own, tenant) else {
      throw Refusal(.tenantIDMismatch, "Specified tenant ID mismatches with the ID token.")
    }
    return tenant
  }

  /// The tenant of the refresh token; an unreadable token is refused at once.
  private func agreed(
    _ tenant: String?, tenantOfRefreshToken fields: Fields, in project: Project
  ) throws(Refusal) -> String? {
    guard let token = fields.text("refreshToken") else { return tenant }
    // Clients do not send the tenant when they refresh: the token determines it.
    if rules[.revocableSessions] {
      return try Self.agreed(tenant, project.tenant(ofRefreshToken: token))
    }
    guard let read = ReadableRefreshToken(token) else { throw Refusal(.invalidRefreshToken) }
    do throws(Refusal) {
      return try Self.agreed(tenant, read.tenantID)
    } catch {
      throw Refusal(
        verbatim:
          "TENANT_ID_MISMATCH: ((Refresh token tenant ID does not match target tenant ID.))")
    }
  }

  private static func agreed(_ tenant: String?, _ other: String?) throws(Refusal) -> String? {
    guard let other, !other.isEmpty else { return tenant }
    guard let tenant else { return other }
    guard sameText(tenant, other) else {
      throw Refusal(.tenantIDMismatch)
    }
    return tenant
  }
}

extension RequestRouter {
  /// The response to a request that has faults.
  func finish(_ call: Call, _ backend: Backend, struckBy strike: Faults.Strike) async
    -> ServerResponse
  {
    if strike.milliseconds > 0 {
      // Stopping the loop ends the wait early; any response is fine then.
      try? await loop.sleep(for: .microseconds(Int64(strike.milliseconds * 1000)))
    }
    context.clock.advance(bySeconds: strike.advancesClock)
    if strike.revokesTokens { backend.revokeTokens(ofTheBearerOf: call) }
    var response = ServerResponse(status: 503)
    var delivery = strike.delivery
    if strike.isCarriedOut {
      response = await answer(call, backend)
    } else if strike.error == nil {
      // There is no response to cut.
      delivery = .drop
    }
    if let error = strike.error {
      response = error.response(for: call, retryAfter: strike.retryAfter)
    }
    response.delivery = delivery
    return response
  }

  private func answer(_ call: Call, _ backend: Backend) async -> ServerResponse {
    do throws(Refusal) {
      if let body = try backend.perform(call) { return response(body) }
    } catch {
      return Self.response(error, call.errors)
    }
    return await finish(call, backend)
  }

  // MARK: Controls

  /// `GET`, `PUT`, `POST` and `DELETE` of `/emulator/v1/faults`.
  func answerFaults(_ method: String, _ body: JSON) throws(Refusal) -> JSON {
    switch method {
    case "PUT", "POST":
      do throws(ConfigurationError) {
        let plan = try FaultPlan(json: body)
        context.faults = Faults(plan.faults, seed: plan.seed)
      } catch {
        throw .invalidArgument(Backend.printable(error.description))
      }
    case "DELETE": context.faults = Faults()
    default: break
    }
    return context.faults.json
  }
}

extension Backend {
  /// Ends every session of the account whose token a request has, as an administrator would.
  fileprivate func revokeTokens(ofTheBearerOf call: Call) {
    var uid: String?
    if let token = call.fields.text("idToken") {
      uid = UnsignedToken.claims(of: token)?["user_id"]?.string
    } else if let token = call.fields.text("refreshToken") {
      if case .alive(let owner, _) = sessions.state(of: token) { uid = owner }
      uid = uid ?? ReadableRefreshToken(token)?.uid
    }
    guard let uid, var account = accounts[uid: uid] else { return }
    account.revokeTokens(now: now)
    accounts.save(&account)
  }
}

/// Cross-origin resource sharing (the Fetch standard, section 3.2), for web apps on pages of other origins.
enum CrossOrigin {
  static func preflight(_ request: HTTPRequest) -> ServerResponse {
    var response = ServerResponse(status: 204)
    response.headers.set("Access-Control-Allow-Methods", "GET,HEAD,PUT,PATCH,POST,DELETE")
    if let headers = request.headers["Access-Control-Request-Headers"], !headers.isEmpty {
      response.headers.set("Access-Control-Allow-Headers", headers)
    }
    response.headers.set("Vary", "Origin, Access-Control-Request-Headers")
    allow(&response, request)
    return response
  }

  /// Lets the calling page read the response.
  static func allow(_ response: inout ServerResponse, _ request: HTTPRequest) {
    if response.headers["Vary"] == nil { response.headers.set("Vary", "Origin") }
    if let origin = request.headers["Origin"], !origin.isEmpty {
      response.headers.set("Access-Control-Allow-Origin", origin)
    }
    if request.headers["Access-Control-Request-Private-Network"] != nil {
      response.headers.set("Access-Control-Allow-Private-Network", "true")
    }
  }
}
