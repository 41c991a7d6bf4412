import IdentityToolkit
public import System

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
      throw AuthError(error).refusing(Self.provider(for: endpoint, body))
    }
  }

  /// The provider that must be on for a call; nil if it needs none.
  private static func provider(for endpoint: Endpoint, _ body: JSONObject) -> String? {
    switch endpoint {
    case .signUp: body["email"] == nil ? "anonymous" : "password"
    case .signInWithPassword: "password"
    case .sendVerificationCode, .signInWithPhoneNumber: "phone"
    default: nil
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

  /// Explains a failed call when it needs a feature that Firebase's emulator or compatible rules lack.
  func explain(_ error: AuthError, needing feature: EmulatorFeature) async -> AuthError {
    guard error.code == .notImplemented else { return error }
    switch await client.emulatorKind() {
    case .firebase:
      return AuthError(
        .notImplemented, feature.absence, hint: EmulatorFeature.hint, serverName: error.serverName)
    case .luath: return feature.rulesHint.map(error.hinting) ?? error
    case nil: return error
    }
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

extension Auth {
  /// Reads which calls of this project need a reCAPTCHA token.
  ///
  /// A browser or an app gets a token with the site key. Assign it to `recaptchaToken`.
  public func initializeRecaptchaConfig() async throws(AuthError) -> RecaptchaConfig {
    let answer = try await backend.get(
      .getRecaptchaConfig,
      [("clientType", AuthContext.clientType), ("version", AuthContext.recaptchaVersion)],
      tenantID: tenantID)
    let config = RecaptchaConfig(answer)
    guard config.siteKey != nil || (config.emailPassword == "OFF" && config.phone == "OFF") else {
      throw AuthError(.recaptchaSiteKeyMissing)
    }
    return config
  }

  /// A reCAPTCHA token that was obtained elsewhere, for the next call that accepts one; then it becomes nil.
  ///
  /// Such calls are sign-up and sign-in with a password, and sending e-mails and SMS.
  public var recaptchaToken: Secret? {
    get { backend.recaptchaToken }
    set { backend.recaptchaToken = newValue }
  }
}

/// The calls for which a project requires reCAPTCHA, and the site key.
public struct RecaptchaConfig: Sendable, Equatable {
  /// The site key for getting tokens in a page or an app.
  public let siteKey: String?

  /// The enforcement for calls with e-mail addresses: `OFF`, `AUDIT` or `ENFORCE`.
  public let emailPassword: String

  /// The enforcement for calls with phone numbers.
  public let phone: String

  init(_ answer: JSONObject) {
    // `projects/PROJECT/keys/KEY`, of which pages need the last part.
    let key = answer["recaptchaKey"]?.string?.split(separator: "/").last.map { String($0) }
    siteKey = key
    func state(_ provider: String) -> String {
      let states = answer["recaptchaEnforcementState"]?.array ?? []
      let found = states.first { $0["provider"]?.string == provider }
      let state = found?["enforcementState"]?.string ?? ""
      // Without settings the project's state is unspecified.
      return state == "AUDIT" || state == "ENFORCE" ? state : "OFF"
    }
    emailPassword = state("EMAIL_PASSWORD_PROVIDER")
    phone = state("PHONE_PROVIDER")
  }
}
