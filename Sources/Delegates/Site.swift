internal import HTTP

/// What servers share: which may be told a password, and which set cookies for one another.
///
/// There is no list of public suffixes here. Passwords need none, as only a host above or below the
/// provider's own has their trust; for cookies a short list of shared hosts stands in.
enum Site {
  /// Whether `other` may have what is for the server at `start`: it is the same, or one of their
  /// hosts lies below the other.
  ///
  /// Neighbours are strangers: `mallory.example.app` is no part of `ada.example.app`, and nobody can
  /// tell from the names alone whether one owner has both.
  static func isProvider(_ start: WebURL, _ other: WebURL) -> Bool {
    guard start.scheme == other.scheme, start.port == other.port else { return false }
    let one = start.host.lowercased()
    let two = other.host.lowercased()
    return one == two || isBelow(one, two) || isBelow(two, one)
  }

  /// Whether a request from a page at `one` to `other` stays inside one site, as SameSite has it
  /// (RFC 6265bis, section 5.2): scheme and registrable domain are equal, ports do not count.
  static func isSame(_ one: WebURL, _ other: WebURL) -> Bool {
    guard one.scheme == other.scheme else { return false }
    return one.host.lowercased() == other.host.lowercased()
      || domain(of: one.host) != nil && domain(of: one.host) == domain(of: other.host)
  }

  /// Whether many owners have their hosts below this one, so that it must not have cookies.
  static func isShared(_ host: String) -> Bool {
    let host = host.lowercased()
    if shared.contains(host) { return true }
    let labels = host.split(separator: ".")
    guard labels.count == 2 else { return labels.count < 2 }
    return labels[1].count == 2 && secondLevels.contains(String(labels[0]))
  }

  /// What stands before a country in names nobody owns: `co.uk`, `com.au`.
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

  /// The part of a name that one owner has: one label more than is shared.
  private static func domain(of host: String) -> String? {
    guard !isAddress(host) else { return nil }
    let labels = host.lowercased().split(separator: ".")
    for count in stride(from: 2, through: labels.count, by: 1) {
      let candidate = labels.suffix(count).joined(separator: ".")
      if !isShared(candidate) { return candidate }
    }
    return nil
  }

  /// Hosts below which anybody can have a name, as far as sign-in pages are found there.
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
