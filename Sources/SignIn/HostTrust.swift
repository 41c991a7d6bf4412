internal import HTTP

/// Rules about related servers: which ones may receive a password, and which share cookies.
///
/// They use no public suffix list. Passwords need none, because only hosts above or below the
/// provider's own are trusted. For cookies, a short list of shared hosts is used.
enum HostTrust {
  /// Whether `other` may receive secrets for the server at `start`.
  ///
  /// It may if the hosts are equal, or one is a subdomain of the other. Sibling hosts may not:
  /// `mallory.example.app` and `ada.example.app` can have different owners.
  static func isProvider(_ start: WebURL, _ other: WebURL) -> Bool {
    guard start.scheme == other.scheme, start.port == other.port else { return false }
    let one = start.host.lowercased()
    let two = other.host.lowercased()
    return one == two || isBelow(one, two) || isBelow(two, one)
  }

  /// Whether a request from a page at `one` to `other` is same-site.
  ///
  /// Scheme and registrable domain must be equal; ports do not count (RFC 6265bis, section 5.2).
  static func isSame(_ one: WebURL, _ other: WebURL) -> Bool {
    guard one.scheme == other.scheme else { return false }
    return one.host.lowercased() == other.host.lowercased()
      || domain(of: one.host) != nil && domain(of: one.host) == domain(of: other.host)
  }

  /// Whether hosts below this one have different owners, so that it must not set cookies.
  static func isShared(_ host: String) -> Bool {
    let host = host.lowercased()
    if shared.contains(host) { return true }
    let labels = host.split(separator: ".")
    guard labels.count == 2 else { return labels.count < 2 }
    return labels[1].count == 2 && secondLevels.contains(String(labels[0]))
  }

  /// Second-level labels of public suffixes: `co.uk`, `com.au`.
  private static let secondLevels: Set<String> = [
    "ac", "co", "com", "edu", "gob", "go", "gov", "ltd", "mil", "ne", "net", "nhs", "nom", "or",
    "org", "plc", "sch",
  ]

  static func isAddress(_ host: String) -> Bool {
    host.contains(":") || host.utf8.allSatisfy { $0 == 0x2E || (0x30...0x39).contains($0) }
  }

  private static func isBelow(_ host: String, _ parent: String) -> Bool {
    host.hasSuffix("." + parent) && !isAddress(host) && !isShared(parent)
  }

  /// Returns the registrable domain: one label more than the shared suffix.
  private static func domain(of host: String) -> String? {
    guard !isAddress(host) else { return nil }
    let labels = host.lowercased().split(separator: ".")
    for count in stride(from: 2, through: labels.count, by: 1) {
      let candidate = labels.suffix(count).joined(separator: ".")
      if !isShared(candidate) { return candidate }
    }
    return nil
  }

  /// Hosts below which anyone can get a name, limited to those likely in sign-ins.
  private static let shared: Set<String> = [
    "github.io", "gitlab.io", "azurewebsites.net", "azurestaticapps.net", "cloudapp.net",
    "cloudapp.azure.com", "web.app", "firebaseapp.com", "appspot.com", "run.app",
    "cloudfunctions.net", "blogspot.com", "herokuapp.com", "netlify.app", "vercel.app", "pages.dev",
    "workers.dev", "amazonaws.com", "cloudfront.net", "elasticbeanstalk.com", "amplifyapp.com",
    "fly.dev", "onrender.com", "ngrok.io", "ngrok.app", "ngrok-free.app", "glitch.me", "surge.sh",
    "repl.co", "replit.app", "deno.dev", "railway.app", "stackblitz.io", "codesandbox.io",
    "translate.goog", "b2clogin.com", "ciamlogin.com", "okta.com", "auth0.com",
  ]
}
