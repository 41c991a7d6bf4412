internal import System
internal import HTTP
internal import OIDC

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
