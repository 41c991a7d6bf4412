import Host
import HTTP

/// The receiver and the operation of an exchange.
struct ExchangeRoute {
  let receiver: Participant
  let operation: String?

  private static let toolkitHosts: Set<String> = [
    "identitytoolkit.googleapis.com", "securetoken.googleapis.com",
    "staging-identitytoolkit.sandbox.googleapis.com", "emulator", "__", "identitytoolkit",
  ]

  private static let providerHosts: Set<String> = [
    "graph.microsoft.com", "login.microsoftonline.com", "microsoft.com", "login.live.com",
    "api.login.yahoo.com", "social.yahooapis.com", "accounts.google.com", "oauth2.googleapis.com",
    "openidconnect.googleapis.com", "www.googleapis.com", "www.google.com", "oidc", "saml",
    "appleid.apple.com", "github.com", "api.github.com", "www.facebook.com", "graph.facebook.com",
  ]

  private static let providerOperations: Set<String> = [
    "authorize", "token", "userinfo", "keys", "certs", "logout", "devicecode", "revoke", "auth",
  ]

  /// Path segments that only identity providers have, on any host.
  private static let onlyProviders: Set<String> = [
    "openid-configuration", "token", "userinfo", "authorize", "jwks", "jwks.json",
  ]

  init(_ exchange: ObservedExchange) {
    let url = exchange.request.url
    var segments = url.path.split(separator: "/").map(String.init)
    // The emulator serves each host under a path with its name.
    let host = exchange.isEmulator ? segments.first ?? "" : url.host
    let isToolkit = Self.toolkitHosts.contains(host) || segments.contains("relyingparty")
    if exchange.isEmulator, host != "emulator", host != "__", !segments.isEmpty {
      segments.removeFirst()
    }
    if isToolkit {
      receiver = .toolkit
      operation = Self.operation(segments)
    } else if Self.providerHosts.contains(host) || exchange.sender == .browser
      || Self.onlyProviders.contains(segments.last ?? "")
    {
      receiver = .provider
      let last = segments.last ?? ""
      operation =
        last == "openid-configuration"
        ? "discovery" : Self.providerOperations.contains(last) ? last : nil
    } else {
      receiver = .other
      operation = nil
    }
  }

  /// Returns `accounts:lookup` for `v1/projects/p/tenants/t/accounts:lookup`.
  private static func operation(_ segments: [String]) -> String? {
    var rest = segments.filter { !isVersion($0) && $0 != "relyingparty" }[...]
    var prefix: [String] = []
    if rest.first == "emulator" || rest.first == "__" { prefix.append(rest.removeFirst()) }
    for collection in ["projects", "tenants"] where rest.first == collection && rest.count > 2 {
      rest = rest.dropFirst(2)
    }
    let words = prefix + rest
    return words.isEmpty ? nil : words.joined(separator: "/")
  }

  private static func isVersion(_ segment: String) -> Bool {
    segment.utf8.count > 1 && segment.utf8.first == UInt8(ascii: "v")
      && segment.utf8.dropFirst().first.map { (0x30...0x39).contains($0) } == true
  }
}
