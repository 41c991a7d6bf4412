internal import Encoding
internal import HTTP
internal import IdentityToolkit
internal import OIDC

extension Backend {
  /// What becomes of a request that no identity provider's path claimed.
  func turn(_ request: HTTPRequest) -> Turn {
    do throws(Refusal) {
      guard let route = Route(path: request.url.path, project: configuration.id) else {
        throw .notFound
      }
      guard route.methods.contains(request.method) else {
        throw .wrongMethod(request.method, allowed: route.methods.joined(separator: " or "))
      }
      switch route {
      case .operation(let endpoint):
        return try turn(endpoint, try authenticate(request, isAdminPath: false, endpoint))
      case .administration(let endpoint, let project):
        let call = try authenticate(request, isAdminPath: true, endpoint)
        guard project.utf8.elementsEqual(configuration.id.utf8) else {
          throw Refusal(.invalidProjectID, "this emulator has only \(configuration.id)")
        }
        return try turn(endpoint, call)
      case .tokenKeys: return .done(try tokenKeys())
      case .tokenCertificates: return .done(try tokenCertificates())
      case .handlerPage: return .done(HandlerPage.response)
      case .health: return .done(ServerResponse(json: ["authEmulator": ["ready": true]]))
      case .control(let control): return .done(try answer(control, request))
      }
    } catch {
      return .done(ServerResponse(status: error.status, json: error.body))
    }
  }

  /// The answer of an operation that asks an identity provider.
  func finish(_ operation: Turn.Waiting, _ call: Call) async -> ServerResponse {
    do throws(Refusal) {
      let body =
        switch operation {
        case .createAuthUri: try await createAuthUri(call)
        case .signInWithIdp: try await signInWithIdp(call)
        }
      return ServerResponse(json: .object(body))
    } catch {
      return ServerResponse(status: error.status, json: error.body)
    }
  }

  private func turn(_ endpoint: Endpoint, _ call: Call) throws(Refusal) -> Turn {
    if try call.fields.string("tenantId")?.isEmpty == false {
      throw Refusal(.invalidTenantID, "the emulator has no Identity Platform tenants yet")
    }
    let body: JSONObject
    switch endpoint {
    case .createAuthUri: return .waits(.createAuthUri, call)
    case .signInWithIdp: return .waits(.signInWithIdp, call)
    case .signUp: body = try signUp(call)
    case .signInWithPassword: body = try signInWithPassword(call)
    case .signInWithCustomToken: body = try signInWithCustomToken(call)
    case .lookup: body = try lookup(call)
    case .update: body = try update(call)
    case .delete: body = try delete(call)
    case .token: body = try refresh(call)
    case .getProjectConfig: body = projectConfig()
    default: throw .notEmulated(endpoint.path)
    }
    return .done(ServerResponse(json: .object(body)))
  }

  /// Checks who is asking, then reads the body.
  private func authenticate(
    _ request: HTTPRequest, isAdminPath: Bool, _ endpoint: Endpoint
  ) throws(Refusal) -> Call {
    let isAdmin = try Self.isAdministrator(request)
    if !isAdmin {
      let key = request.url.fields["key"] ?? request.headers["X-Goog-Api-Key"] ?? ""
      guard !key.isEmpty else { throw .missingAPIKey }
      if let expected = configuration.apiKey, !constantTimeEqual(key, expected.reveal()) {
        throw .wrongAPIKey
      }
      guard !isAdminPath else {
        throw Refusal(
          .insufficientPermission, "this path needs the administrator's bearer token", status: 403)
      }
    }
    return Call(
      fields: try Self.fields(of: request, takesForm: endpoint == .token), isAdmin: isAdmin)
  }

  /// Emulators take the bearer token `owner` for the administrator's.
  private static func isAdministrator(_ request: HTTPRequest) throws(Refusal) -> Bool {
    guard let header = request.headers["Authorization"] else { return false }
    let words = header.split(separator: " ")
    guard words.count == 2, words[0].lowercased() == "bearer" else { return false }
    guard words[1].lowercased() == "owner" else { throw .wrongBearer }
    return true
  }

  static func fields(of request: HTTPRequest, takesForm: Bool = false) throws(Refusal) -> Fields {
    guard !request.body.isEmpty else { return Fields() }
    let type = request.headers["Content-Type"]?.lowercased().prefix { $0 != ";" } ?? ""
    let kind = String(type).filter { $0 != " " }
    if takesForm, kind == "application/x-www-form-urlencoded" {
      var object = JSONObject()
      for pair in request.form.pairs { object[pair.name] = .string(pair.value) }
      return Fields(object)
    }
    guard kind == "application/json" else {
      throw .invalidArgument(
        "Invalid content-type: \(Self.printable(kind)); send application/json")
    }
    let json: JSON
    do throws(JSONError) {
      json = try request.json()
    } catch {
      throw Refusal(
        message: "Invalid JSON payload received. \(error.description)", status: 400,
        reason: "parseError", canonicalStatus: "INVALID_ARGUMENT")
    }
    guard case .object(let object) = json else {
      throw .invalidArgument("Invalid JSON payload received. The body must be an object")
    }
    return Fields(object)
  }

  private func tokenKeys() throws(Refusal) -> ServerResponse {
    do throws(JOSEError) {
      return ServerResponse(
        json: try site.keys.keySet(for: .idTokens), headers: ["Cache-Control": "public, max-age=60"]
      )
    } catch {
      throw .internalFailure("the signing key could not be made: \(error.message)")
    }
  }

  private func tokenCertificates() throws(Refusal) -> ServerResponse {
    do throws(JOSEError) {
      let key = try site.keys.key(for: .idTokens)
      return ServerResponse(
        json: .object([
          key.keyID: .string(
            try key.certificatePEM(commonName: "securetoken.system.gserviceaccount.com"))
        ]),
        headers: ["Cache-Control": "public, max-age=60"])
    } catch {
      throw .internalFailure("the signing key could not be made: \(error.message)")
    }
  }
}
