import System
import IdentityToolkit

/// The state shared by an Auth and its users: client, clock and reCAPTCHA token.
final class AuthContext {
  /// The client type of the reCAPTCHA site keys for pages.
  static let clientType = "CLIENT_TYPE_WEB"

  /// The only version of reCAPTCHA with tokens for these calls.
  static let recaptchaVersion = "RECAPTCHA_ENTERPRISE"

  let client: IdentityToolkitClient
  let clock: any AuthClock

  /// The reCAPTCHA token for the next call that accepts one.
  var recaptchaToken: Secret?

  init(client: IdentityToolkitClient, clock: any AuthClock) {
    self.client = client
    self.clock = clock
  }

  /// Calls an endpoint, with the tenant if the endpoint accepts one.
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

  /// Calls an endpoint without a request body.
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

  /// Explains a failed call when it needs a feature that Firebase's emulator lacks.
  func explain(_ error: AuthError, needing feature: EmulatorFeature) async -> AuthError {
    guard error.code == .notImplemented, await client.emulatorKind() == .firebase else {
      return error
    }
    return AuthError(
      .notImplemented, feature.absence, hint: EmulatorFeature.hint, serverName: error.serverName)
  }

  /// Adds the token, which is used up even if the call fails.
  private func addCaptcha(to body: inout JSONObject, for endpoint: Endpoint) {
    guard let token = recaptchaToken else { return }
    switch endpoint {
    case .signUp where body["email"] != nil, .signInWithPassword:
      body["captchaResponse"] = .string(token.reveal())
    // This endpoint spells it differently.
    case .sendOobCode: body["captchaResp"] = .string(token.reveal())
    default: return
    }
    body["clientType"] = .string(Self.clientType)
    body["recaptchaVersion"] = .string(Self.recaptchaVersion)
    recaptchaToken = nil
  }
}
