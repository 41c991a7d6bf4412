internal import System
internal import HTTP
internal import OIDC
internal import IdentityToolkit

/// Keeps foreign web pages away from what is reserved for users and programs of this machine.
///
/// A foreign page can point its own name at this machine (DNS rebinding), and any page can send requests to any
/// address. The former is visible in Host, the latter in Origin (the Fetch standard, section 3.1).
struct VisitorCheck {
  private let rules: Rules
  /// The address the emulator listens on, in the form used in a URL.
  private let address: String
  private let isWidened: Bool
  /// The additional origins that the user allows.
  private let allowed: OriginList

  init(rules: Rules, address: String, allowed: OriginList) {
    self.rules = rules
    self.allowed = allowed
    self.address = address.utf8.contains(UInt8(ascii: ":")) ? "[\(address)]" : address
    isWidened = WebURL("http://\(self.address)/")?.isLoopback != true
  }

  /// What a request is for, as far as it matters for access.
  private enum Area {
    /// The dashboard and its events; no other origin may read them, not even an allowed one.
    case page
    /// The controls, the administrator's operations, and everything else that shows accounts.
    case administration
    /// Calls of apps and their users, from any origin.
    case open
  }

  /// The error response to a forbidden request; nil lets the request pass.
  func refusal(of request: HTTPRequest) -> ServerResponse? {
    let isOwnHost = isOwn(host: request.url)
    // Nearly all requests return here.
    if isOwnHost, request.headers["Origin"] == nil { return nil }
    let area = Self.area(of: request)
    guard isOwnHost || isOpen(area) else { return Self.refuse(host: request.url) }
    let foreign = request.headers.all("Origin").first { !isAllowed($0, area, at: request.url) }
    return foreign.map(Self.refuse(origin:))
  }

  private static func area(of request: HTTPRequest) -> Area {
    let path = request.url.path
    if path == "/" { return Dashboard.wantsPage(request) ? .page : .open }
    if path.utf8.starts(with: "/emulator/ui".utf8) || path == "/emulator/v1/events" { return .page }
    // In an API path, an empty project name means the main project to every caller under compatible rules.
    if path.contains("/projects/") || Control(path: path)?.isForAdministrators == true {
      return .administration
    }
    // Access tokens of the emulated providers belong to the apps that they were issued to.
    guard asAdministrator(request), ProviderRoute(path: path) == nil else { return .open }
    return .administration
  }

  /// Whether a request has credentials other than an API key, or is a preflight that asks to send them.
  private static func asAdministrator(_ request: HTTPRequest) -> Bool {
    if request.headers["Authorization"] != nil { return true }
    return request.method == "OPTIONS"
      && request.headers.all("Access-Control-Request-Headers").contains { names in
        names.asciiLowercased.contains("authorization")
      }
  }

  // MARK: Host

  /// Whether the host is one that no foreign page can point at this machine.
  ///
  /// DNS rebinding needs a public DNS name; an IP address is always safe. If the emulator listens on a wider address,
  /// a name without a dot belongs to the local network, such as a service of Docker Compose.
  private func isOwn(host url: WebURL) -> Bool {
    if url.host == "127.0.0.1" || url.isLoopback || url.host == address { return true }
    if Self.isAddress(url.host) || allowed.names(host: url.host) { return true }
    return isWidened && !url.host.utf8.contains(UInt8(ascii: "."))
  }

  private static func isAddress(_ host: String) -> Bool {
    host.utf8.first == UInt8(ascii: "[")
      || host.utf8.allSatisfy { $0.isDigit || $0 == UInt8(ascii: ".") }
  }

  /// Whether an area allows any host name.
  private func isOpen(_ area: Area) -> Bool {
    switch area {
    case .page: false
    case .administration: allowed.includesAll
    // On a wider address, apps may use any name for the machine.
    case .open: !rules[.ownHostsOnly] || isWidened || allowed.includesAll
    }
  }

  // MARK: Origin

  private func isAllowed(_ origin: String, _ area: Area, at url: WebURL) -> Bool {
    switch area {
    case .open: true
    case .page: sameText(origin, url.origin)
    case .administration:
      // Allow pages of the emulator and of this machine; the origin `null` can be any page's.
      sameText(origin, url.origin) || WebURL(origin)?.isLoopback == true
        || allowed.contains(origin: origin)
    }
  }

  private static func refuse(host url: WebURL) -> ServerResponse {
    refuse(
      "this emulator is not known as \(Backend.printable(url.host)); call it by its address, such as 127.0.0.1 or "
        + "localhost, or allow the name: \(option(url.origin))")
  }

  private static func refuse(origin: String) -> ServerResponse {
    let advice = origin == "null" ? "" : "; to allow it: \(option(origin))"
    return refuse(
      "a web page of \(Backend.printable(origin)) may not use this part of the emulator\(advice)")
  }

  private static func option(_ origin: String) -> String {
    "luath emulator --allow-origin \(Backend.printable(origin)), or allowOrigins in the project file"
  }

  private static func refuse(_ message: String) -> ServerResponse {
    RequestRouter.response(
      Refusal(
        message: message, status: 403, reason: "forbidden", canonicalStatus: "PERMISSION_DENIED"),
      .emulator)
  }
}

/// Verifies that a form came from the dashboard in the same browser.
///
/// The browser has a random cookie that it never sends with another site's requests (SameSite=Strict). Each form has
/// a code that only the emulator can derive from that cookie.
struct FormSeal {
  private let key = SecureRandom.bytes(32)
  private let cookie: String

  /// Browsers share cookies between the ports of a host, so the name includes the port.
  init(port: UInt16) {
    cookie = "luath-page-\(port)"
  }

  /// The form code for a browser's cookie; a browser without one gets a new cookie.
  func visit(_ request: HTTPRequest) -> Visit {
    if let value = value(of: request) { return Visit(cookie: nil, code: code(for: value)) }
    let fresh = SecureRandom.token()
    return Visit(
      cookie: "\(cookie)=\(fresh); Path=/; HttpOnly; SameSite=Strict", code: code(for: fresh))
  }

  /// One page request of a browser.
  struct Visit {
    /// The `Set-Cookie` header for a browser without a cookie.
    let cookie: String?
    /// The code for the page's forms.
    let code: String
  }

  func accepts(_ request: HTTPRequest, code given: String?) -> Bool {
    guard let given, let value = value(of: request) else { return false }
    return constantTimeEqual(given, code(for: value))
  }

  private func code(for value: String) -> String {
    Base64URL.encode(Digest.hmacSHA256(key: key, message: Array(value.utf8)))
  }

  private func value(of request: HTTPRequest) -> String? {
    for header in request.headers.all("Cookie") {
      for pair in header.split(separator: ";") {
        let parts = pair.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, parts[0].drop(while: { $0 == " " }) == cookie else { continue }
        // Our own values have this length; a planted one would have to be as long.
        guard parts[1].utf8.count == 43 else { return nil }
        return String(parts[1])
      }
    }
    return nil
  }
}
