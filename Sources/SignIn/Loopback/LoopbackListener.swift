import Client
internal import System
import HTTP
internal import IdentityToolkit

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
      .webContextTimedOut, "the browser did not come back in time",
      hint: "when the page says that the redirect address is unknown, register "
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
