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
      sameText(device.clientID, provider.registration?.clientID ?? "")
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
      return oauthError(400, error, "the user declined")
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

/// A device that waits for a user to sign in elsewhere (RFC 8628).
final class DeviceRequest {
  enum Stage {
    case waiting, denied, used
    case granted(Grant)
  }

  let userCode: String
  let clientID: String
  let scopes: [String]
  /// The tenant in Microsoft's path.
  let tenant: String?
  let wantsRefreshToken: Bool
  let expiresAt: Int64
  /// The minimum time between two polls of the device, in seconds.
  private(set) var interval = firstInterval
  private var lastAskedAt: Int64?
  var stage = Stage.waiting
  /// The family of the device's tokens, once they are issued.
  var family: String?

  /// The lifetime of the codes in seconds, as at Microsoft.
  static let lifetime: Int64 = 900
  /// Seconds; shorter than the five of Microsoft and Google, so that nobody waits for an emulator.
  static let firstInterval: Int64 = 1

  init(
    clientID: String, scopes: [String], tenant: String?, wantsRefreshToken: Bool, now: Int64
  ) {
    userCode = Self.freshUserCode()
    self.clientID = clientID
    self.scopes = scopes
    self.tenant = tenant
    self.wantsRefreshToken = wantsRefreshToken
    expiresAt = now + Self.lifetime
  }

  /// Records a poll; returns false when it came too early, and adds five seconds to the interval (section 3.5).
  func mayAsk(now: Int64) -> Bool {
    defer { lastAskedAt = now }
    guard let lastAskedAt, now - lastAskedAt < interval else { return true }
    interval += 5
    return false
  }

  /// Consonants that are hard to confuse and form no words (section 6.1).
  private static let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ".utf8)

  private static func freshUserCode() -> String {
    var letters: [UInt8] = []
    while letters.count < 8 {
      // Values from 240 would make the first letters more likely.
      letters += SecureRandom.bytes(16).filter { $0 < 240 }.map { alphabet[Int($0) % 20] }
    }
    letters = Array(letters.prefix(4)) + [UInt8(ascii: "-")] + letters[4..<8]
    return String(decoding: letters, as: UTF8.self)
  }

  /// The code from an entry in any case, with or without the hyphen.
  static func normalized(_ typed: String) -> String {
    let letters = typed.uppercased().utf8.filter { alphabet.contains($0) }
    return String(
      decoding: letters.prefix(4) + [UInt8(ascii: "-")] + letters.dropFirst(4), as: UTF8.self)
  }
}

extension IdentityProviders {
  /// The page on which a user enters a device's code (RFC 8628 section 3.3).
  func devicePage(_ request: HTTPRequest, provider: IdentityProvider) -> ServerResponse {
    let fields = request.url.fields
    guard request.url.path.utf8.starts(with: "\(provider.root)/".utf8) else {
      // Redirect from the short address for users to one below the path of the cookies.
      let query = request.url.query.map { "?\($0)" } ?? ""
      return redirect(to: provider.deviceForm + query)
    }
    let language = IncomingAuthorization.language(
      fields, acceptLanguage: request.headers["Accept-Language"])
    let memory = memory(of: provider)
    let flow = open(
      IncomingAuthorization(for: nil, at: provider, language: language), for: request,
      memory: memory)
    flow.stage = .userCode
    flow.typedEmail = fields["user_code"].map { String($0.prefix(32)) } ?? ""
    return proceed(flow, memory: memory)
  }

  /// Reads the code that the user entered, and continues as with any other sign-in request.
  func readUserCode(_ flow: PageFlow, form: FormFields, memory: ProviderMemory) {
    flow.typedEmail = String((form["user_code"] ?? "").prefix(32))
    flow.problem = nil
    let code = DeviceRequest.normalized(flow.typedEmail)
    guard let device = memory.userCodes[code], case .waiting = device.stage,
      context.clock.seconds < device.expiresAt
    else { return fail(flow, .unknownUserCode) }
    flow.device = device
    flow.typedEmail = ""
    flow.request = IncomingAuthorization(
      for: device, at: flow.request.provider, language: flow.request.language)
    _ = begin(flow, memory: memory)
  }

  /// Records the user's decision for the waiting device, and redirects to the last page.
  func endDevice(_ flow: PageFlow, grant: Grant?, memory: ProviderMemory) -> ServerResponse {
    if let device = flow.device, case .waiting = device.stage {
      device.stage = grant.map { .granted($0) } ?? .denied
    }
    flow.stage = .deviceEnded(isGranted: grant != nil && flow.device != nil)
    memory.flows[flow.id] = flow
    // A separate URL, so that a program that drives the browser can detect the end.
    return redirect(to: "\(flow.request.provider.deviceForm)/done?flow=\(flow.id)")
  }
}

extension IncomingAuthorization {
  /// The request of a device; nil while the user has not entered a code.
  ///
  /// Consent is always requested, because the user may have received the code from somebody else (RFC 8628 section
  /// 5.4).
  init(for device: DeviceRequest?, at provider: IdentityProvider, language: Wording.Language) {
    self.init(
      provider: provider, clientID: device?.clientID ?? "", reply: nil, wantsCode: false,
      wantsIDToken: false, scopes: device?.scopes ?? [], nonce: nil, challenge: nil,
      prompts: [.consent], loginHint: nil, maximumAge: nil, tenant: device?.tenant ?? "common",
      wantsRefreshToken: device?.wantsRefreshToken ?? false, language: language)
  }
}

extension IdentityProvider {
  /// The short address that users enter in a browser for their device.
  var devicePage: String {
    switch kind {
    case .microsoft: "/microsoft.com/devicelogin"
    case .google: "/www.google.com/device"
    case .yahoo, .oidc: deviceForm
    }
  }

  /// The redirect target of `devicePage`.
  var deviceForm: String {
    switch kind {
    case .microsoft: "\(root)/common/oauth2/deviceauth"
    case .google: "\(root)/o/oauth2/device/usercode"
    case .yahoo, .oidc: "\(root)/device"
    }
  }
}
