internal import System

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
    let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
      .map { PercentEncoding.decode(String($0)) ?? String($0) }
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
