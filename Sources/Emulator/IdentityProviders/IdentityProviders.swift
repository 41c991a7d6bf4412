internal import System
internal import HTTP
internal import OIDC

/// The emulated Microsoft, Yahoo, Google and OIDC servers: their pages, tokens and profile endpoints.
///
/// Used on the emulator's loop only. The backend half reaches them over HTTP only.
final class IdentityProviders {
  let context: EmulatorContext
  private var memories: [String: ProviderMemory] = [:]

  /// The lifetime of authorization codes, in seconds.
  static let codeLifetime: Int64 = 60
  /// The lifetime of access and ID tokens, in seconds.
  static let tokenLifetime: Int64 = 3600

  init(context: EmulatorContext) {
    self.context = context
  }

  /// The response; nil when the path belongs to no identity provider.
  func answer(_ request: HTTPRequest) -> Answer? {
    guard let route = ProviderRoute(path: request.url.path) else { return nil }
    let registration = context.configuration.providers[route.providerID]
    // The emulator serves an OIDC provider only if the project has it without an external issuer.
    if route.kind == .oidc, registration == nil || registration?.issuer != nil { return nil }
    let provider = IdentityProvider(
      kind: route.kind, id: route.providerID, registration: registration)
    guard Self.methods(of: route.endpoint).contains(request.method) else {
      let allowed = Self.methods(of: route.endpoint).joined(separator: ", ")
      return .now(
        ServerResponse(
          status: 405, text: "use \(allowed) here\n", headers: ["Allow": allowed]))
    }
    return .now(respond(to: request, provider: provider, route: route))
  }

  private func respond(
    to request: HTTPRequest, provider: IdentityProvider, route: ProviderRoute
  ) -> ServerResponse {
    switch route.endpoint {
    case .discovery: discovery(of: provider, tenant: route.tenant)
    case .keys: keySet(of: provider)
    case .authorize: authorize(request, provider: provider, tenant: route.tenant)
    case .signIn: signIn(request, provider: provider)
    case .token: token(request, provider: provider, tenant: route.tenant)
    case .userinfo: userinfo(request, provider: provider)
    case .revocation: revoke(request, provider: provider)
    case .logout: logout(request, provider: provider)
    case .deviceAuthorization:
      authorizeDevice(request, provider: provider, tenant: route.tenant)
    case .devicePage: devicePage(request, provider: provider)
    case .graphMe: graphProfile(request, provider: provider)
    case .graphPhoto: graphPhoto(request, provider: provider)
    case .yahooProfile(let guid): yahooProfile(request, provider: provider, guid: guid)
    }
  }

  private static func methods(of endpoint: ProviderRoute.Endpoint) -> [String] {
    switch endpoint {
    case .authorize, .signIn, .userinfo, .logout: ["GET", "HEAD", "POST"]
    case .token, .revocation, .deviceAuthorization: ["POST"]
    case .discovery, .keys, .devicePage, .graphMe, .graphPhoto, .yahooProfile: ["GET", "HEAD"]
    }
  }

  func memory(of provider: IdentityProvider) -> ProviderMemory {
    if let memory = memories[provider.id] { return memory }
    let memory = ProviderMemory()
    memories[provider.id] = memory
    return memory
  }

  /// A redirect that is not cached and sends no referrer.
  func redirect(to address: String) -> ServerResponse {
    var response = ServerResponse(status: 303, text: "")
    response.headers.set("Location", address)
    response.headers.set("Cache-Control", "no-store")
    response.headers.set("Referrer-Policy", "no-referrer")
    return response
  }

  func key(of provider: IdentityProvider) throws(JOSEError) -> SigningKey {
    try context.keys.key(for: .identityProvider(provider.id))
  }

  func person(_ email: String, at provider: IdentityProvider) -> Person? {
    if let known = context.configuration.directory[email] {
      return known.isKnown(to: provider.id) ? known : nil
    }
    let wanted = ExactString(email.lowercased())
    return context.people(knownTo: provider.id).first {
      ExactString($0.email.lowercased()) == wanted
    }
  }
}
