internal import Encoding
internal import HTTP

/// The web pages that a sign-in may be handed to: those of the project's authorized domains.
///
/// The sign-in pages check them in the browser, which alone knows what page embeds or opened them.
struct AuthorizedPages {
  /// The domains; nil lets every page have the sign-in, as Firebase's emulator does.
  private let domains: [String]?

  init(of project: ProjectConfiguration, rules: Rules) {
    domains =
      rules[.checkedLinks]
      ? project.authorizedDomains + [project.authDomain].compactMap(\.self) : nil
  }

  /// What a page carries for `script`.
  var element: Markup {
    guard let domains else { return .nothing }
    let list = JSON.array(domains.map { .string($0.asciiLowercased) }).encoded()
    return "<meta name=\"authorized-domains\" content=\"\(list)\">"
  }

  /// Defines `isAuthorized(address)` and `unauthorized(address)`, the error of an address that is not.
  ///
  /// As in the web SDK, a domain stands for its subdomains too, and an address for itself.
  static let script = EmbeddedAssets.text("authorized-pages.js")
}
