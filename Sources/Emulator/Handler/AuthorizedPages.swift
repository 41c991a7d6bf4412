internal import System
internal import HTTP

/// The web pages that may receive a sign-in: those of the project's authorized domains.
///
/// The sign-in pages check this in the browser, because only the browser knows which page embeds or opened them.
struct AuthorizedPages {
  /// The domains; nil allows every page, as Firebase's emulator does.
  private let domains: [String]?

  init(of project: ProjectConfiguration, rules: Rules) {
    domains =
      rules[.checkedLinks]
      ? project.authorizedDomains + [project.authDomain].compactMap(\.self) : nil
  }

  /// The element that passes the domains to `script`.
  var element: Markup {
    guard let domains else { return .nothing }
    let list = JSON.array(domains.map { .string($0.asciiLowercased) }).encoded()
    return "<meta name=\"authorized-domains\" content=\"\(list)\">"
  }

  /// Defines `isAuthorized(address)` and `unauthorized(address)`, the error for an address that is not authorized.
  ///
  /// As in the web SDK, a domain includes its subdomains; an IP address matches only itself.
  static let script = EmbeddedAssets.text("authorized-pages.js")
}
