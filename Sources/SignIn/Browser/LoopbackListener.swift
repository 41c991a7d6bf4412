internal import System
public import HTTP
internal import IdentityToolkit
internal import Client

/// A redirect address on this machine (RFC 8252 section 7.3).
public struct LoopbackAddress: Sendable {
  /// The URL as given; port 80 means any free port.
  let url: WebURL

  /// The default redirect address.
  ///
  /// It uses localhost instead of 127.0.0.1, which RFC 8252 section 8.3 prefers: Firebase projects
  /// authorize localhost from the start, and providers ignore the port only for this name. To meet
  /// the RFC's concerns we listen on both addresses that the name may have.
  private static let usual = "http://localhost/callback"

  /// Creates an address; nil means the default, `http://localhost` with a free port.
  ///
  /// - Throws: what is wrong with the URL, as the end of a sentence that begins with it.
  public init(_ url: WebURL?) throws(Problem) {
    guard let url = url ?? WebURL(Self.usual) else {
      preconditionFailure("the usual redirect address is one")
    }
    guard url.scheme == "http" else {
      throw Problem(words: "is not http: on the way to the same machine nothing can be read")
    }
    guard ["localhost", "127.0.0.1", "[::1]"].contains(url.host) else {
      throw Problem(words: "does not lead to this machine: use localhost, 127.0.0.1 or [::1]")
    }
    guard url.fragment == nil else {
      throw Problem(words: "holds a fragment, which a redirect address must not")
    }
    guard !LoopbackFields(url, postBody: nil).isAnswer else {
      throw Problem(words: "already has parameters of a response, such as state or code")
    }
    self.url = url
  }

  /// Why a URL cannot be used.
  public struct Problem: Error {
    /// The reason, as the end of a sentence.
    public let words: String
  }

  /// The port to listen on; 0 for a free one.
  ///
  /// Port 80 belongs to web servers, so we treat it as no port.
  var port: UInt16 { url.port == 80 ? 0 : UInt16(clamping: url.port) }

  /// The addresses that the host may resolve to in a browser; the first must be free.
  var interfaces: [String] {
    switch url.host {
    case "localhost": ["127.0.0.1", "::1"]
    case "[::1]": ["::1"]
    default: ["127.0.0.1"]
    }
  }

  func url(port: UInt16) -> WebURL {
    guard let whole = WebURL("http://\(url.host):\(port)\(url.pathAndQuery)") else {
      preconditionFailure("another port leaves an address an address")
    }
    return whole
  }
}

/// Listens on this machine for the redirect from a sign-in page (RFC 8252 section 7.3).
///
/// Used on the loop's thread only. It listens until `stop`, which every exit path must call.
final class LoopbackListener {
  /// The redirect address, including the port.
  let redirectURL: WebURL

  private let inbox: LoopbackInbox
  private var servers: [HTTPServer]

  /// Listens at a redirect address of this machine; nil means the default one.
  ///
  /// A URL without a port gets a free one.
  convenience init(redirectURI: WebURL?, loop: EventLoop) throws(AuthError) {
    let address: LoopbackAddress
    do throws(LoopbackAddress.Problem) {
      address = try LoopbackAddress(redirectURI)
    } catch {
      throw AuthError(.invalidArgument, "the redirect address \(error.words)")
    }
    try self.init(at: address, loop: loop)
  }

  /// Listens at a redirect address.
  init(at address: LoopbackAddress, loop: EventLoop) throws(AuthError) {
    let inbox = LoopbackInbox(loop)
    do throws(HTTPError) {
      servers = try Self.listen(at: address, inbox, loop)
    } catch {
      throw AuthError(
        .webRedirectUnavailable,
        "cannot wait for the browser at \(address.url.origin): \(error.message)",
        hint: error.code == .portInUse ? nil : error.hint)
    }
    redirectURL = address.url(port: servers[0].port)
    self.inbox = inbox
    inbox.redirectURL = redirectURL
  }

  /// Accepts responses of the sign-in with this state from now on.
  ///
  /// With a nil state, every response is accepted, because OAuth 1 and SAML have none.
  ///
  /// - Parameter needsResult: whether a code or token is required, as opposed to a sign-out.
  func expect(state: String?, needsResult: Bool = true) {
    inbox.expect(state, needsResult: needsResult)
  }

  /// Waits for the response of the expected sign-in.
  ///
  /// - Throws: `webStateMismatch` for a response of another sign-in, `webContextTimedOut` after the
  ///   time limit, `webContextCancelled` when the task is canceled or `stop` was called.
  func answer(within limit: Duration? = nil) async throws(AuthError) -> PageAnswer {
    let timedOut = AuthError(
      .webContextTimedOut, "the browser was not redirected back in time",
      hint: "if the page reports an unknown redirect address, register "
        + "\(redirectURL) at the provider; else give more time with timeout")
    return try await inbox.slot.answer(within: limit, orElse: timedOut)
  }

  /// Ends the wait with a response from elsewhere, such as a pasted URL.
  ///
  /// A response that arrived before is kept.
  func settle(_ result: Result<PageAnswer, AuthError>) { inbox.slot.settle(result) }

  /// Closes the port, after pages that are being sent; may be called more than once.
  func stop() {
    inbox.slot.cancel()
    for server in servers { server.stop() }
    servers = []
  }

  /// Listens on all addresses of the host.
  ///
  /// If a free port is taken on the second one, tries another.
  private static func listen(
    at address: LoopbackAddress, _ inbox: LoopbackInbox, _ loop: EventLoop
  ) throws(HTTPError) -> [HTTPServer] {
    for _ in 0..<16 {
      let first = try server(address.interfaces[0], address.port, inbox, loop)
      var servers = [first]
      do throws(HTTPError) {
        for interface in address.interfaces.dropFirst() {
          servers.append(try server(interface, first.port, inbox, loop))
        }
        return servers
      } catch {
        // A machine without IPv6 has one address only.
        if error.code == .unsupported { return servers }
        for server in servers { server.stop() }
        // Both must be ours: a program on the other address could receive the response.
        guard error.code == .portInUse, address.port == 0 else { throw error }
      }
    }
    throw HTTPError(
      .portInUse, "no port is free on 127.0.0.1 and ::1 both",
      hint: "use 127.0.0.1 in place of localhost")
  }

  private static func server(
    _ interface: String, _ port: UInt16, _ inbox: LoopbackInbox, _ loop: EventLoop
  ) throws(HTTPError) -> HTTPServer {
    try HTTPServer(
      loop: loop, address: interface, port: port,
      limits: ServerLimits(
        headerBytes: 64 << 10, bodyBytes: 256 << 10, connections: 32, idleTimeout: .seconds(10))
    ) { .now(inbox.respond(to: $0)) }
  }
}

/// The request handler of a loopback listener; it accepts one response.
///
/// Sendable, because only the loop's thread uses it: the server's handlers and the waiting task run there.
final class LoopbackInbox: @unchecked Sendable {
  private enum Phase {
    /// No sign-in has begun.
    case idle
    /// A sign-in with this state is in progress; the state is nil when the protocol has none.
    case expecting(state: String?, needsResult: Bool)
  }

  var redirectURL: WebURL?
  /// The response, which may also come from elsewhere.
  let slot: AnswerSlot

  private var phase = Phase.idle

  init(_ loop: EventLoop) { slot = AnswerSlot(loop) }

  func expect(_ state: String?, needsResult: Bool) {
    phase = .expecting(state: state, needsResult: needsResult)
  }

  // MARK: Requests

  func respond(to request: HTTPRequest) -> ServerResponse {
    guard let redirectURL else { return LoopbackPage.missing.response }
    // Prevents DNS rebinding: a foreign page with its own name for this machine sends that name in Host.
    guard request.url.authority == redirectURL.authority else {
      return LoopbackPage.foreign.response
    }
    // Reject requests that a page elsewhere embeds: only a navigation can be a redirect.
    if let use = request.headers["Sec-Fetch-Dest"], use != "document" {
      return LoopbackPage.foreign.response
    }
    switch (request.url.path, request.method) {
    case (redirectURL.path, "GET"): return arrival(at: redirectURL.with(query: request.url.query))
    case (redirectURL.path, "POST"): return posted(request, to: redirectURL)
    case (redirectURL.path, _): return LoopbackPage.wrongMethod(allowed: "GET, POST").response
    case (redirectURL.fragmentPath, "POST"): return copied(request, from: redirectURL)
    case (redirectURL.fragmentPath, _): return LoopbackPage.wrongMethod(allowed: "POST").response
    default: return LoopbackPage.missing.response
    }
  }

  /// Handles a GET.
  ///
  /// The response may be in the fragment, which a browser does not send, so a page must read it.
  private func arrival(at url: WebURL) -> ServerResponse {
    let fields = LoopbackFields(url, postBody: nil)
    guard fields.isAnswer else {
      guard case .expecting(_, needsResult: true) = phase, slot.result == nil else {
        return take(PageAnswer(finalURL: url.description), fields)
      }
      return LoopbackPage.fragment(url.fragmentPath).response
    }
    return take(PageAnswer(finalURL: url.description), fields)
  }

  /// Handles a POST (OAuth 2.0 Form Post Response Mode section 2).
  private func posted(_ request: HTTPRequest, to redirectURL: WebURL) -> ServerResponse {
    guard request.isForm else { return LoopbackPage.wrongType.response }
    let url = redirectURL.with(query: request.url.query)
    let body = String(decoding: request.body, as: UTF8.self)
    let fields = LoopbackFields(url, postBody: body)
    guard fields.isAnswer else { return LoopbackPage.empty.response }
    return take(PageAnswer(finalURL: url.description, postBody: Secret(body)), fields)
  }

  /// Handles the URL that the fragment page found, or that the user pasted there.
  private func copied(_ request: HTTPRequest, from redirectURL: WebURL) -> ServerResponse {
    guard request.isForm else { return LoopbackPage.wrongType.response }
    let text = request.form["address"] ?? ""
    let url =
      text.hasPrefix("#")
      ? redirectURL.with(fragment: String(text.dropFirst())) : WebURL(text)
    guard let url, url.origin == redirectURL.origin, url.path == redirectURL.path else {
      return LoopbackPage.empty.response
    }
    let fields = LoopbackFields(url, postBody: nil)
    guard fields.isAnswer else { return LoopbackPage.empty.response }
    return take(PageAnswer(finalURL: url.description), fields)
  }

  private func take(_ answer: PageAnswer, _ fields: LoopbackFields) -> ServerResponse {
    guard slot.result == nil else { return LoopbackPage.used.response }
    guard case .expecting(let state, let needsResult) = phase else {
      return LoopbackPage.unexpected.response
    }
    if let problem = fields.problem(expecting: state, needsResult: needsResult) {
      slot.settle(
        .failure(AuthError(.webStateMismatch, "the browser was redirected back with \(problem)")))
      return LoopbackPage.forged.response
    }
    slot.settle(.success(answer))
    return (fields.isRefusal ? LoopbackPage.refused : .finished).response
  }
}

extension WebURL {
  /// The path to which the fragment page posts.
  fileprivate var fragmentPath: String { path + (path.hasSuffix("/") ? "" : "/") + "fragment" }
}

extension HTTPRequest {
  fileprivate var isForm: Bool {
    let type = headers["Content-Type"]?.split(separator: ";").first ?? ""
    return type.lowercased().split(separator: " ") == ["application/x-www-form-urlencoded"]
  }
}

/// The parameters of a redirect, from query, fragment and body.
struct LoopbackFields {
  private let fields: FormFields

  init(_ url: WebURL, postBody: String?) {
    var fields = url.fields
    for pair in url.fragmentFields.pairs { fields.append(pair.name, pair.value) }
    for pair in FormFields(parsing: postBody ?? "").pairs { fields.append(pair.name, pair.value) }
    self.fields = fields
  }

  /// An authorization response has at least one of these.
  ///
  /// See RFC 6749 section 4.1.2, OpenID Connect Core section 3.2.2.5, RFC 5849 section 2.2, SAML
  /// bindings section 3.5.4.
  static let results = [
    "code", "id_token", "access_token", "oauth_verifier", "SAMLResponse",
  ]
  private static let errors = ["error", "firebaseError"]

  /// Whether these are parameters of a response, not just those of the redirect address.
  var isAnswer: Bool { (["state"] + Self.results + Self.errors).contains { fields[$0] != nil } }

  /// Whether the response is an error.
  var isRefusal: Bool { Self.errors.contains { fields[$0]?.isEmpty == false } }

  /// Returns what is wrong with the response; nil when it is valid.
  ///
  /// - Parameter needsResult: whether a code or token is required, as opposed to a sign-out.
  func problem(expecting state: String?, needsResult: Bool = true) -> String? {
    // RFC 6749 section 3.1: parameters must not be included more than once.
    for name in ["state", "iss"] + Self.results + Self.errors where fields.all(name).count > 1 {
      return "more than one \(name)"
    }
    if let state {
      guard let given = fields["state"] else {
        // Any page on this machine could send an error, so errors need the state as well (RFC 6749
        // section 4.1.2.1 requires providers to return it).
        return isRefusal ? "an error, but no state that makes it this sign-in's" : "no state"
      }
      guard constantTimeEqual(given, state) else {
        return "a state that is not the one of this sign-in"
      }
    }
    guard
      !needsResult || isRefusal || Self.results.contains(where: { fields[$0]?.isEmpty == false })
    else {
      return "neither a code nor an ID token"
    }
    return nil
  }

  /// Whether more text at the end could complete a pasted response.
  func mayGoOn(to state: String?) -> Bool {
    guard !isRefusal, fields.pairs.allSatisfy({ fields.all($0.name).count == 1 }) else {
      return false
    }
    guard let state, let given = fields["state"] else { return true }
    return constantTimeEqual(Array(given.utf8), Array(state.utf8.prefix(given.utf8.count)))
  }
}
