internal import System
internal import HTTP
internal import OIDC

extension IdentityProviders {
  /// The grant type with which a device requests its tokens (RFC 8628 section 3.4).
  static let deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

  /// The device authorization endpoint (RFC 8628 section 3.1).
  func authorizeDevice(
    _ request: HTTPRequest, provider: IdentityProvider, tenant: String?
  ) -> ServerResponse {
    let form = request.form
    if let twice = form.firstRepeated {
      return oauthError(400, "invalid_request", "\(twice) is given more than once")
    }
    if provider.kind == .microsoft, let tenant, !isKnownTenant(tenant) {
      return oauthError(400, "invalid_request", "AADSTS90002: there is no tenant \(tenant)")
    }
    // Here Microsoft and Google require the client id only.
    if let refused = clientRefusal(
      request, form, provider: provider, mayOmitSecret: provider.kind != .oidc)
    {
      return refused
    }
    var scopes: [String] = []
    for scope in (form["scope"] ?? "").split(separator: " ").map(String.init)
    where !scopes.contains(scope) { scopes.append(scope) }
    guard !scopes.isEmpty else { return oauthError(400, "invalid_scope", "scope is missing") }
    if let unknown = scopes.first(where: { !ScopeWords.exists($0, at: provider.kind) }) {
      return oauthError(400, "invalid_scope", "there is no scope \(unknown)")
    }
    let device = DeviceRequest(
      clientID: provider.registration?.clientID ?? "", scopes: scopes, tenant: tenant,
      wantsRefreshToken: provider.kind == .google || scopes.contains("offline_access"),
      now: context.clock.seconds)
    let code = SecureRandom.token(bytes: 32)
    let memory = memory(of: provider)
    memory.devices[code] = device
    memory.userCodes[device.userCode] = device
    context.keys.prepare(.identityProvider(provider.id))
    return ServerResponse(
      json: .object(description(of: device, code: code, provider: provider)),
      headers: ["Cache-Control": "no-store", "Pragma": "no-cache"])
  }

  private func description(
    of device: DeviceRequest, code: String, provider: IdentityProvider
  ) -> JSONObject {
    let page = context.origin + provider.devicePage
    var answer: JSONObject = [
      "device_code": .string(code), "user_code": .string(device.userCode),
      "verification_uri": .string(page), "expires_in": .integer(DeviceRequest.lifetime),
      "interval": .integer(DeviceRequest.firstInterval),
    ]
    switch provider.kind {
    case .microsoft:
      // Microsoft returns no URL with the code in it, but a message for the user.
      answer["message"] = .string(
        "To sign in, use a web browser to open the page \(page) and enter the code "
          + "\(device.userCode) to authenticate.")
    case .google:
      // Google's name predates the RFC; clients that read the RFC's name work too.
      answer["verification_url"] = .string(page)
    case .oidc, .yahoo:
      answer["verification_uri_complete"] = .string("\(page)?user_code=\(device.userCode)")
    }
    return answer
  }

  /// The token endpoint's response to a polling device (section 3.5).
  func pollDevice(_ form: FormFields, provider: IdentityProvider) -> ServerResponse {
    let memory = memory(of: provider)
    guard let code = form["device_code"] else {
      return oauthError(400, "invalid_request", "device_code is missing")
    }
    guard let device = memory.devices[code],
      ExactString(device.clientID) == ExactString(provider.registration?.clientID ?? "")
    else {
      return oauthError(
        400, provider.kind == .microsoft ? "bad_verification_code" : "invalid_grant",
        "the device code is unknown")
    }
    let now = context.clock.seconds
    let isPatient = device.mayAsk(now: now)
    switch device.stage {
    case .used:
      if let family = device.family { memory.withdraw(family: family) }
      return oauthError(400, "invalid_grant", "the device code has been used before")
    case .denied:
      let error = provider.kind == .microsoft ? "authorization_declined" : "access_denied"
      return oauthError(400, error, "the person declined")
    case _ where now >= device.expiresAt:
      return oauthError(400, "expired_token", "nobody signed in for the device in time")
    case .granted(let grant):
      device.stage = .used
      device.family = grant.family
      return issue(
        grant, provider: provider, refreshGrant: grant.wantsRefreshToken ? grant : nil)
    case .waiting:
      return isPatient
        ? oauthError(400, "authorization_pending", "nobody has signed in for the device yet")
        : oauthError(
          400, "slow_down", "ask every \(device.interval) seconds, not more often")
    }
  }
}
