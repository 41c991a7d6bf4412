internal import Encoding
internal import HTTP
internal import IdentityToolkit

/// Keeps web pages of other places away from what is for the people and programs of this machine.
///
/// A page elsewhere can point its own name at this machine (DNS rebinding), and any page can send requests
/// to any address. The first shows in Host, the second in Origin (the Fetch standard, section 3.1).
struct VisitorCheck {
  private let rules: Rules
  /// The address the emulator listens on, as it stands in a URL.
  private let address: String
  private let isWidened: Bool

  init(rules: Rules, address: String) {
    self.rules = rules
    self.address = address.utf8.contains(UInt8(ascii: ":")) ? "[\(address)]" : address
    isWidened = WebURL("http://\(self.address)/")?.isLoopback != true
  }

  /// What a request asks for, as far as it matters who may ask.
  private enum Area {
    /// The emulator's own page and its events: readable to nobody else, whatever the rules.
    case page
    /// The controls and the administrator's operations.
    case administration
    /// What apps and their users call, wherever they come from.
    case open
  }

  /// The answer to a visitor who may not come in; nil lets the request pass.
  func refusal(of request: HTTPRequest) -> ServerResponse? {
    let origin = request.headers["Origin"]
    let isOwnHost = isOwn(request.url)
    // Nearly all requests end here.
    if isOwnHost, origin == nil { return nil }
    let area = Self.area(of: request)
    switch area {
    case .page:
      guard isOwnHost else { return Self.refuse(host: request.url.host) }
      guard let origin, ExactString(origin) != ExactString(request.url.origin) else { return nil }
      return Self.refuse(origin: origin)
    case .administration, .open:
      guard rules[.ownHostsOnly] else { return nil }
      // On a wider address apps may know the machine by any name.
      guard isOwnHost || (isWidened && area == .open) else {
        return Self.refuse(host: request.url.host)
      }
      guard area == .administration, let origin, !isOwn(origin: origin) else { return nil }
      return Self.refuse(origin: origin)
    }
  }

  private static func area(of request: HTTPRequest) -> Area {
    let path = request.url.path
    if path == "/" { return Dashboard.wantsPage(request) ? .page : .open }
    if path.utf8.starts(with: "/emulator/ui".utf8) || path == "/emulator/v1/events" { return .page }
    if path.utf8.starts(with: "/emulator/v1/".utf8) || request.headers["Authorization"] != nil {
      return .administration
    }
    // Before a browser sends a page's request with a token, it asks whether it may.
    if request.method == "OPTIONS",
      let names = request.headers["Access-Control-Request-Headers"],
      names.asciiLowercased.contains("authorization")
    {
      return .administration
    }
    return .open
  }

  /// Whether the name in a URL means this machine: nobody else can make a browser take it for theirs.
  private func isOwn(_ url: WebURL) -> Bool {
    if url.host == "127.0.0.1" || url.isLoopback || url.host == address { return true }
    // Rebinding needs a name; an address always means itself.
    return isWidened && Self.isAddress(url.host)
  }

  private func isOwn(origin: String) -> Bool {
    guard let url = WebURL(origin) else { return false }
    return isOwn(url)
  }

  private static func isAddress(_ host: String) -> Bool {
    host.utf8.first == UInt8(ascii: "[")
      || host.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
  }

  private static func refuse(host: String) -> ServerResponse {
    refuse(
      "this emulator is not known as \(Backend.printable(host)); call it by its address, such as "
        + "127.0.0.1 or localhost")
  }

  private static func refuse(origin: String) -> ServerResponse {
    refuse(
      "a web page of \(Backend.printable(origin)) may not use this part of the emulator")
  }

  private static func refuse(_ message: String) -> ServerResponse {
    Gateway.response(
      Refusal(
        message: message, status: 403, reason: "forbidden", canonicalStatus: "PERMISSION_DENIED"))
  }
}
