import CPSL
public import System
import HTTP

/// The state of one `drive`.
struct DriveState {
  let start: WebURL
  let redirect: WebURL
  let deadline: ContinuousClock.Instant
  /// Saves the pages of this visit.
  let run: SignInTrace.Run?
  /// Reports what is done on the pages.
  let narrator: PageNarrator
  var pages = 0
  var page: SignInPage?
  /// The last page as it came, for a record of a failure.
  var response: HTTPResponse?
  /// The page whose deny button was pressed.
  private(set) var deniedOn: SignInPage?
  private(set) var denyButton: String?

  init(
    start: WebURL, redirect: WebURL, limits: FormLimits, run: SignInTrace.Run?,
    narrator: PageNarrator
  ) {
    self.start = start
    self.redirect = redirect
    self.run = run
    self.narrator = narrator
    deadline = .now + limits.duration
  }

  /// Returns the error of a denied consent, once the provider has redirected back.
  func denial(_ arrival: SignInArrival, _ reader: FormReader) -> FormDriverError? {
    guard let deniedOn else { return nil }
    // A sign-out returns without an error even when the user stays signed in.
    let isHeeded = arrival.providerError != nil || reader.task == .signOut
    guard isHeeded || arrival.isGrant else { return nil }
    return reader.failure(
      isHeeded ? .consentDenied : .denialIgnored, on: deniedOn, field: denyButton)
  }

  mutating func deny(on page: SignInPage, button: String?) {
    deniedOn = page
    denyButton = button
  }

  /// Returns the page to name in a message about `url`: the current one if it is there.
  func place(_ url: WebURL) -> SignInPage {
    if let page, page.url.origin == url.origin, page.url.path == url.path { return page }
    return SignInPage(emptyAt: url)
  }
}

extension WebURL {
  /// Whether both URLs are the same except for query and fragment.
  func isSamePlace(as other: WebURL) -> Bool {
    scheme == other.scheme && host.lowercased() == other.host.lowercased() && port == other.port
      && (path.isEmpty ? "/" : path) == (other.path.isEmpty ? "/" : other.path)
  }
}

extension SignInPage {
  /// Creates a page without content, for messages.
  init(emptyAt url: WebURL) {
    self.url = url
    base = url
    title = ""
    heading = ""
    forms = []
    links = []
    needsScript = false
  }
}

/// Why passwords and codes must not be sent to a URL.
struct SecretObjection {
  let reason: String
  /// The origin to add to `trustedOrigins`, if that would help.
  let origin: String?
}

extension DriveState {
  /// Returns why passwords and codes must not be sent to a URL, or entered on a page there.
  ///
  /// They may go to the provider's own servers, encrypted unless on this machine. Nil means allowed.
  func objection(toSecretsAt url: WebURL, _ answers: SignInAnswers) -> SecretObjection? {
    if url.scheme != "https", !url.isLoopback {
      return SecretObjection(reason: "the connection is not encrypted", origin: nil)
    }
    let isTrusted = answers.trustedOrigins.contains { $0.lowercased() == url.origin }
    if isTrusted || HostTrust.isProvider(start, url) { return nil }
    return SecretObjection(
      reason: "it is not of the site the sign-in began at, \(start.origin)", origin: url.origin)
  }
}

/// The purpose of a visit, which decides what may be done on its pages.
enum PageTask: Sendable {
  case signIn
  /// The app asks who is signed in, and the provider must show no page.
  ///
  /// This is `prompt=none` of OpenID Connect Core section 3.1.2.1.
  case silentSignIn
  /// The user signs out (OpenID Connect RP-Initiated Logout section 2).
  case signOut

  /// Determines the task from the start URL.
  init(openedBy url: WebURL) {
    let fields = url.fields
    if fields["post_logout_redirect_uri"] != nil {
      self = .signOut
    } else if fields["prompt"]?.split(separator: " ").contains("none") == true {
      self = .silentSignIn
    } else {
      self = .signIn
    }
  }
}

/// Rules about related servers: which ones may receive a password, and which share cookies.
///
/// Hosts below a public suffix have different owners; libpsl has the list of these suffixes.
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
    return unlisted.contains(host) || psl_is_public_suffix(suffixes, host) != 0
  }

  /// The list in libpsl, which is constant.
  private nonisolated(unsafe) static let suffixes = psl_builtin()

  static func isAddress(_ host: String) -> Bool {
    host.contains(":") || host.utf8.allSatisfy { $0 == 0x2E || $0.isDigit }
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

  /// Hosts that give names below them to customers but are not on the list; only those likely in sign-ins.
  private static let unlisted: Set<String> = [
    "cloudapp.azure.com", "amazonaws.com", "amplifyapp.com", "ngrok.app", "ngrok-free.app",
    "surge.sh", "replit.app", "railway.app", "stackblitz.io", "codesandbox.io", "b2clogin.com",
    "ciamlogin.com", "okta.com", "auth0.com",
  ]
}

extension SystemLibrary {
  /// libpsl, which holds the Public Suffix List.
  public static var psl: SystemLibrary {
    SystemLibrary("libpsl", String(cString: psl_get_version()), headers: PSL_VERSION)
  }
}
