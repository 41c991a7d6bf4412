internal import IdentityToolkit
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

  /// The user with an address, who is created if the project admits anyone.
  func personOrNewcomer(_ email: String, of request: IncomingAuthorization) -> Person? {
    if let known = person(email, at: request.provider) { return known }
    guard context.configuration.admitsAnyone, let address = EmailAddress.normalized(email),
      context.configuration.directory[address] == nil
    else { return nil }
    let tenant = request.tenant.flatMap { ["common", "organizations"].contains($0) ? nil : $0 }
    let person = Person(newcomer: address, tenant: tenant)
    _ = context.configuration.directory.add(person)
    return person
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

/// One emulated identity provider: its ids and the paths of its pages.
struct IdentityProvider: Sendable {
  enum Kind: Sendable { case microsoft, yahoo, google, oidc }

  let kind: Kind
  /// The Firebase provider id.
  let id: String
  /// The app registration; nil when the project has none with this provider.
  let registration: ProviderConfiguration?

  /// The path prefix of all pages in a browser; its cookies are limited to it.
  var root: String {
    switch kind {
    case .microsoft: "/login.microsoftonline.com"
    case .yahoo: "/api.login.yahoo.com"
    case .google: "/accounts.google.com"
    case .oidc: "/oidc/\(PercentEncoding.encode(String(id.dropFirst("oidc.".count))))"
    }
  }

  /// Whether users can sign in for a device (RFC 8628).
  var hasDevices: Bool { kind != .yahoo }

  /// The provider's name on its pages.
  var name: String {
    switch kind {
    case .microsoft: "Microsoft"
    case .yahoo: "Yahoo"
    case .google: "Google"
    case .oidc: registration?.displayName ?? String(id.dropFirst("oidc.".count))
    }
  }

  /// The path of the sign-in pages; Microsoft's includes the tenant.
  func signInPath(tenant: String?) -> String {
    guard let tenant, kind == .microsoft else { return "\(root)/signin" }
    return "\(root)/\(PercentEncoding.encode(tenant))/signin"
  }

  /// The issuer of ID tokens, exactly as in the discovery document.
  ///
  /// The real host is only the first path segment, so a token of the emulator can never be mistaken for a real one.
  func issuer(origin: String, tenantID: String? = nil) -> String {
    if kind == .oidc, let name = registration?.issuerName { return name }
    guard kind == .microsoft else { return origin + root }
    return "\(origin)\(root)/\(tenantID ?? "{tenantid}")/v2.0"
  }
}

/// The provider and endpoint of a path.
///
/// The production host is the first path segment, so a client only has to put the emulator's origin before the URL it
/// would use anyway.
struct ProviderRoute: Sendable {
  enum Endpoint: Sendable, Equatable {
    case discovery, keys, authorize, signIn, token, userinfo
    case revocation, logout, deviceAuthorization, devicePage
    case graphMe, graphPhoto
    case yahooProfile(guid: String)
  }

  let kind: IdentityProvider.Kind
  let providerID: String
  let endpoint: Endpoint
  var tenant: String?

  init?(path: String) {
    // By bytes: every request of the API comes by here, and characters take ten times as long.
    let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard parts.count > 1, !Self.apis.contains(where: { parts[1].elementsEqual($0.utf8) })
    else { return nil }
    let segments = parts.dropFirst().map { part in
      let text = String(Substring(part))
      return PercentEncoding.decode(text) ?? text
    }
    guard let host = segments.first else { return nil }
    let rest = Array(segments.dropFirst())
    switch host {
    case "login.microsoftonline.com":
      guard let tenant = rest.first, !tenant.isEmpty,
        let endpoint = Self.microsoft(rest.dropFirst().joined(separator: "/"))
      else { return nil }
      self.init(.microsoft, "microsoft.com", endpoint)
      self.tenant = tenant
    case "microsoft.com":
      guard rest == ["devicelogin"] else { return nil }
      self.init(.microsoft, "microsoft.com", .devicePage)
    case "graph.microsoft.com":
      let endpoint: Endpoint
      switch rest.joined(separator: "/") {
      case "v1.0/me": endpoint = .graphMe
      case "v1.0/me/photo/$value": endpoint = .graphPhoto
      case "oidc/userinfo": endpoint = .userinfo
      default: return nil
      }
      self.init(.microsoft, "microsoft.com", endpoint)
    case "api.login.yahoo.com":
      guard let endpoint = Self.yahoo(rest.joined(separator: "/")) else { return nil }
      self.init(.yahoo, "yahoo.com", endpoint)
    case "social.yahooapis.com":
      guard rest.count == 4, rest[0] == "v1", rest[1] == "user", rest[3] == "profile" else {
        return nil
      }
      self.init(.yahoo, "yahoo.com", .yahooProfile(guid: rest[2]))
    case "accounts.google.com", "oauth2.googleapis.com", "openidconnect.googleapis.com",
      "www.googleapis.com", "www.google.com":
      guard let endpoint = Self.google(segments.joined(separator: "/")) else { return nil }
      self.init(.google, "google.com", endpoint)
    case "oidc":
      guard let name = rest.first, !name.isEmpty,
        let endpoint = Self.oidc(rest.dropFirst().joined(separator: "/"))
      else { return nil }
      self.init(.oidc, "oidc.\(name)", endpoint)
    default: return nil
    }
  }

  /// Hosts that are no provider's, and to which most requests go.
  private static let apis = ["identitytoolkit.googleapis.com", "securetoken.googleapis.com"]

  private init(_ kind: IdentityProvider.Kind, _ providerID: String, _ endpoint: Endpoint) {
    self.kind = kind
    self.providerID = providerID
    self.endpoint = endpoint
  }

  private static func microsoft(_ path: String) -> Endpoint? {
    switch path {
    case "v2.0/.well-known/openid-configuration": .discovery
    case "discovery/v2.0/keys": .keys
    case "oauth2/v2.0/authorize": .authorize
    case "oauth2/v2.0/token": .token
    case "oauth2/v2.0/logout": .logout
    case "oauth2/v2.0/devicecode": .deviceAuthorization
    case "oauth2/deviceauth": .devicePage
    case "signin", "oauth2/deviceauth/done": .signIn
    default: nil
    }
  }

  private static func yahoo(_ path: String) -> Endpoint? {
    switch path {
    case ".well-known/openid-configuration": .discovery
    case "openid/v1/certs": .keys
    case "oauth2/request_auth": .authorize
    case "oauth2/get_token": .token
    case "oauth2/revoke": .revocation
    case "openid/v1/userinfo": .userinfo
    case "signin": .signIn
    default: nil
    }
  }

  private static func google(_ path: String) -> Endpoint? {
    switch path {
    case "accounts.google.com/.well-known/openid-configuration": .discovery
    case "www.googleapis.com/oauth2/v3/certs": .keys
    case "accounts.google.com/o/oauth2/v2/auth": .authorize
    case "oauth2.googleapis.com/token": .token
    case "oauth2.googleapis.com/revoke": .revocation
    case "oauth2.googleapis.com/device/code": .deviceAuthorization
    case "www.google.com/device", "accounts.google.com/o/oauth2/device/usercode": .devicePage
    case "openidconnect.googleapis.com/v1/userinfo": .userinfo
    case "accounts.google.com/signin", "accounts.google.com/o/oauth2/device/usercode/done": .signIn
    default: nil
    }
  }

  private static func oidc(_ path: String) -> Endpoint? {
    switch path {
    case ".well-known/openid-configuration": .discovery
    case "jwks": .keys
    case "authorize": .authorize
    case "token": .token
    case "userinfo": .userinfo
    case "revoke": .revocation
    case "logout": .logout
    case "device_authorization": .deviceAuthorization
    case "device": .devicePage
    case "signin", "device/done": .signIn
    default: nil
    }
  }
}
