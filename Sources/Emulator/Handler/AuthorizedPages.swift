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
  static let script = """
    "use strict";
    function isAuthorized(address) {
      var url;
      try { url = new URL(address); } catch (e) { return false; }
      if (url.protocol !== "http:" && url.protocol !== "https:") return false;
      var list = document.querySelector("meta[name=authorized-domains]");
      if (!list || url.origin === location.origin) return true;
      return JSON.parse(list.content).some(function (domain) {
        if (url.hostname === domain) return true;
        return !/^[\\d.]+$|^\\[/.test(domain) && url.hostname.endsWith("." + domain);
      });
    }
    function unauthorized(address) {
      var place = address;
      try { place = new URL(address).hostname || address; } catch (e) {}
      return {
        code: "auth/unauthorized-domain",
        message: "The domain of " + place + " is not among the project's authorized domains."
      };
    }

    """
}
