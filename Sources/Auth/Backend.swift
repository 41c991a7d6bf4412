import Encoding
import IdentityToolkit

/// What an Auth and its users share: the client, the clock and what was asked to be let through.
final class Backend {
  /// The kind of client whose site keys the tokens of pages are made with.
  static let clientType = "CLIENT_TYPE_WEB"

  /// The only version of reCAPTCHA that has tokens for these calls.
  static let recaptchaVersion = "RECAPTCHA_ENTERPRISE"

  let client: IdentityToolkitClient
  let clock: any AuthClock

  /// For the next call that takes one.
  var recaptchaToken: Secret?

  init(client: IdentityToolkitClient, clock: any AuthClock) {
    self.client = client
    self.clock = clock
  }

  /// Calls an endpoint, in a tenant where the endpoint takes one.
  func call(
    _ endpoint: Endpoint, _ body: JSONObject, tenantID: String?
  ) async throws(AuthError) -> JSONObject {
    var body = body
    if endpoint.namesTenant, let tenantID { body["tenantId"] = .string(tenantID) }
    addCaptcha(to: &body, for: endpoint)
    do {
      return try await client.call(endpoint, body)
    } catch {
      throw AuthError(error)
    }
  }

  /// Asks an endpoint that takes no body.
  func get(
    _ endpoint: Endpoint, _ query: [(String, String)] = [], tenantID: String?
  ) async throws(AuthError) -> JSONObject {
    var query = query
    if let tenantID { query.append(("tenantId", tenantID)) }
    do {
      return try await client.call(endpoint, query: query)
    } catch {
      throw AuthError(error)
    }
  }

  /// Explains why a call failed that needs a feature: Firebase's emulator does not have it.
  func explain(_ error: AuthError, needing feature: EmulatorFeature) async -> AuthError {
    guard error.code == .notImplemented, await client.emulatorKind() == .firebase else {
      return error
    }
    return AuthError(
      .notImplemented, feature.absence, hint: EmulatorFeature.hint, serverName: error.serverName)
  }

  /// A token is good for one call, whatever becomes of it.
  private func addCaptcha(to body: inout JSONObject, for endpoint: Endpoint) {
    guard let token = recaptchaToken else { return }
    switch endpoint {
    case .signUp where body["email"] != nil, .signInWithPassword:
      body["captchaResponse"] = .string(token.reveal())
    // Spelled in another way here.
    case .sendOobCode: body["captchaResp"] = .string(token.reveal())
    default: return
    }
    body["clientType"] = .string(Self.clientType)
    body["recaptchaVersion"] = .string(Self.recaptchaVersion)
    recaptchaToken = nil
  }
}
