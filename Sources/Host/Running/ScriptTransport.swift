public import HTTP
import IdentityToolkit
import Lua
import System

/// Sends the requests of a script.
///
/// With an emulator target, requests to identity providers' hosts go to the emulator, with the host as the first
/// segment of the path.
final class ScriptTransport: Transport {
  /// The hosts that the emulator replaces.
  static let emulatedHosts: Set<String> = [
    "graph.microsoft.com", "login.microsoftonline.com", "api.login.yahoo.com",
    "social.yahooapis.com", "accounts.google.com", "oauth2.googleapis.com",
    "openidconnect.googleapis.com", "www.googleapis.com", "identitytoolkit.googleapis.com",
    "securetoken.googleapis.com",
  ]

  private let client: HTTPClient
  private let emulator: WebURL?
  private let emulators: [WebURL]
  private let issuers: [String: String]
  private let trace: (@Sendable (String) -> Void)?
  private let observer: (any RunObserver)?
  let isReadOnly: Bool
  /// The ID of a real project; nil for an emulated one.
  let realProject: String?
  let projectGuard: ProjectGuard
  private let warn: (@Sendable (_ message: String, _ hint: String) -> Void)?
  /// The request counts of a real project.
  private var quotas: QuotaWatch?
  private let began = ContinuousClock.now
  private var lastAddress: (text: ExactString, url: WebURL)?

  init(_ target: Target, _ context: ScriptContext, loop: EventLoop) {
    issuers = context.issuers
    var options = ClientOptions()
    if case .emulator(let url) = target.backend {
      emulator = url
      realProject = nil
    } else {
      emulator = nil
      realProject = target.projectID
      options.secureHosts = Self.emulatedHosts
      options.places = target.hostOverrides.places
      if let file = target.hostOverrides.certificateFile { options.certificateFile = file }
      quotas = QuotaWatch()
    }
    emulators = ([target] + context.targets.values).compactMap { target in
      if case .emulator(let url) = target.backend { url } else { nil }
    }
    client = HTTPClient(loop: loop, options: options)
    trace = context.trace
    observer = context.observer
    warn = context.warn
    isReadOnly = context.isReadOnly
    projectGuard = context.projectGuard
    client.refusesRedirect = { [unowned self] in refusal(of: $0, isRedirect: true) }
  }

  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    try await send(request, from: .script)
  }

  func send(
    _ request: HTTPRequest, from sender: ObservedExchange.Sender
  ) async throws(HTTPError) -> HTTPResponse {
    let began = ContinuousClock.now
    var sent = request
    sent.url = answering(request.url)
    try await admit(sent)
    tell(quotas?.warning(before: sent, at: began.duration(to: .now)))
    do throws(HTTPError) {
      let response = try await client.send(sent)
      record(request, sentTo: sent.url, .success(response))
      observe(sent, from: sender, since: began, .success(response))
      tell(quotas?.warning(after: response, at: began.duration(to: .now)))
      return response
    } catch {
      record(request, sentTo: sent.url, .failure(error))
      observe(sent, from: sender, since: began, .failure(error))
      throw error
    }
  }

  func pause(for duration: Duration) async throws(HTTPError) {
    try await client.pause(for: duration)
  }

  /// Sends a request without following redirects; calls `done` on the loop's thread.
  ///
  /// Returns a closure that cancels the exchange. Refuses a request that needs the user's consent; `send` asks for it.
  func begin(
    _ request: HTTPRequest, _ done: @escaping (Result<HTTPResponse, HTTPError>) -> Void
  ) -> () -> Void {
    var sent = request
    sent.url = answering(request.url)
    if let refusal = refusal(of: sent) {
      done(.failure(refusal))
      return {}
    }
    let sending = exchange(sent, for: request, done)
    return { sending.cancel() }
  }

  private func exchange(
    _ sent: HTTPRequest, for request: HTTPRequest,
    _ done: @escaping (Result<HTTPResponse, HTTPError>) -> Void
  ) -> Sending {
    tell(quotas?.warning(before: sent, at: began.duration(to: .now)))
    guard trace != nil || observer != nil else { return client.begin(sent, done) }
    let began = ContinuousClock.now
    return client.begin(sent) { [self] result in
      record(request, sentTo: sent.url, result)
      observe(sent, from: .script, since: began, result)
      done(result)
    }
  }

  private func tell(_ warning: QuotaWatch.Warning?) {
    if let warning { warn?(warning.message, warning.hint) }
  }

  private func observe(
    _ request: HTTPRequest, from sender: ObservedExchange.Sender,
    since began: ContinuousClock.Instant, _ result: Result<HTTPResponse, HTTPError>
  ) {
    guard let observer else { return }
    observer.exchanged(
      ObservedExchange(
        sender: sender, request: request, isEmulator: isEmulator(request.url), began: began,
        duration: began.duration(to: .now), result: result))
  }

  var browser: BrowserTransport { BrowserTransport(transport: self) }

  private func record(
    _ request: HTTPRequest, sentTo url: WebURL, _ result: Result<HTTPResponse, HTTPError>
  ) {
    guard let trace else { return }
    let note = url == request.url ? "" : " (handled by the emulator)"
    switch result {
    case .success(let response):
      trace(line(request, "\(response.status)", response.duration) + note)
    case .failure(let error): trace(line(request, "failed: \(error.message)", nil) + note)
    }
  }

  /// Parses an address; caches the last one, as consecutive requests often have the same.
  func address(_ text: String) -> WebURL? {
    let text = ExactString(text)
    if let lastAddress, lastAddress.text == text { return lastAddress.url }
    guard let url = WebURL(text.string) else { return nil }
    lastAddress = (text, url)
    return url
  }

  /// The address that a request is sent to: the emulator's, if it replaces the host.
  func answering(_ url: WebURL) -> WebURL {
    guard let emulator else { return url }
    if !issuers.isEmpty {
      let text = url.description
      for (name, path) in issuers where text.hasPrefix("\(name)/") {
        return WebURL(emulator.origin + path + text.dropFirst(name.count)) ?? url
      }
    }
    let host = url.hostWithoutRoot
    guard Self.emulatedHosts.contains(host) else { return url }
    return WebURL(emulator.origin + "/" + host + url.pathAndQuery) ?? url
  }

  /// The emulator's issuer for one on an emulated host, with the path unchanged; other issuers are returned unchanged.
  func answeringIssuer(_ issuer: String) -> String {
    guard let emulator, let url = WebURL(issuer), Self.emulatedHosts.contains(url.host),
      issuer.utf8.starts(with: "https://\(url.host)".utf8)
    else { return issuer }
    return emulator.origin + "/" + issuer.dropFirst("https://".count)
  }

  /// The emulator's address for the issuer of an emulated provider that has a name of its own; nil for all others.
  func place(ofIssuer issuer: String) -> String? {
    guard let emulator, let path = issuers[issuer] else { return nil }
    return emulator.origin + path
  }

  /// Whether an address is on the target's emulator.
  func isEmulator(_ url: WebURL) -> Bool { emulator.map(url.isSameServer) ?? false }

  /// Whether an address is on any target's emulator.
  func isAnyEmulator(_ url: WebURL) -> Bool { emulators.contains { url.isSameServer(as: $0) } }

  /// Firebase's provider ID for an emulated issuer; the host of any other issuer.
  func providerID(ofIssuer issuer: String) -> String {
    guard let url = WebURL(issuer) else { return issuer }
    guard isEmulator(url) else { return url.host }
    let segments = url.path.split(separator: "/").map(String.init)
    switch segments.first {
    case "oidc"?: return "oidc.\(segments.dropFirst().first ?? "")"
    case "accounts.google.com"?: return "google.com"
    case "login.microsoftonline.com"?: return "microsoft.com"
    case "api.login.yahoo.com"?: return "yahoo.com"
    default: return url.host
    }
  }

  /// One line about an exchange, with the names of query parameters but without their values.
  private func line(_ request: HTTPRequest, _ outcome: String, _ time: Duration?) -> String {
    var place = request.url.path
    if let emulator, request.url.origin == emulator.origin {
      place = String(place.dropFirst())
    } else {
      place = request.url.authority + place
    }
    let names = request.url.fields.pairs.map { "\($0.name)=…" }.joined(separator: "&")
    if !names.isEmpty { place += "?\(names)" }
    let words = "\(request.method) \(place) \(outcome)"
    guard let time else { return words.printable }
    return words.printable + " \(time.inMilliseconds) ms"
  }
}

extension Duration {
  /// The duration in milliseconds, rounded down.
  var inMilliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }
}

extension String {
  /// The text without control characters, which must not reach a terminal, and without marks that change the
  /// direction of text.
  public var printable: String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.map { scalar in
          switch scalar.value {
          case 0..<0x20, 0x7F..<0xA0, 0x61C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069:
            "\u{FFFD}"
          default: scalar
          }
        }))
  }
}

extension String {
  /// The text without control characters other than line breaks.
  public var printableLines: String {
    split(separator: "\n", omittingEmptySubsequences: false).map { String($0).printable }
      .joined(separator: "\n")
  }
}

/// Sends the requests of a delegate that acts as a browser.
struct BrowserTransport: Transport {
  let transport: ScriptTransport

  func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    try await transport.send(request, from: .browser)
  }

  func pause(for duration: Duration) async throws(HTTPError) {
    try await transport.pause(for: duration)
  }
}

/// One HTTP exchange of a script, unmasked: may contain secrets.
public struct ObservedExchange: Sendable {
  /// The sender of the request.
  public enum Sender: Sendable {
    /// The script or a client that it uses.
    case script
    case browser
  }

  /// The sender of the request.
  public let sender: Sender
  /// The request as sent; for an emulated provider's host it goes to the emulator.
  public let request: HTTPRequest
  /// Whether the request goes to the emulator.
  public let isEmulator: Bool
  /// The start of the request.
  public let began: ContinuousClock.Instant
  /// The time from the start to the last byte of the response or to the failure.
  public let duration: Duration
  /// The response or the error.
  public let result: Result<HTTPResponse, HTTPError>
}
