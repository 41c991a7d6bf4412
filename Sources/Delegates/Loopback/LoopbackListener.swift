public import Auth
internal import Encoding
public import HTTP
internal import IdentityToolkit

/// Waits on this machine for the one request that brings a browser back from a sign-in page
/// (RFC 8252 section 7.3).
///
/// Used on the loop's thread only. It lasts until `stop`, which every way out must reach.
public final class LoopbackListener {
  /// The address to send the browser back to, with the port that is listened on.
  public let redirectURL: WebURL

  private let inbox: LoopbackInbox
  private var servers: [HTTPServer]

  /// Listens at an address of this machine, the usual one when there is none.
  ///
  /// An address without a port gets a free one.
  public convenience init(redirectURI: WebURL?, loop: EventLoop) throws(AuthError) {
    let address: LoopbackAddress
    do throws(LoopbackAddress.Problem) {
      address = try LoopbackAddress(redirectURI)
    } catch {
      throw AuthError(.invalidArgument, "the redirect address \(error.words)")
    }
    try self.init(at: address, loop: loop)
  }

  /// Listens at this address.
  public init(at address: LoopbackAddress, loop: EventLoop) throws(AuthError) {
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

  /// Takes answers from now on: those of the sign-in with this state.
  ///
  /// Without a state every answer is taken, as OAuth 1 and SAML have none.
  ///
  /// - Parameter needsResult: whether a code or a token must be there, which a sign-out has not.
  public func expect(state: String?, needsResult: Bool = true) {
    inbox.expect(state, needsResult: needsResult)
  }

  /// The answer of the expected sign-in, once its browser is back.
  ///
  /// - Throws: `webStateMismatch` for an answer that is not of this sign-in, `webContextTimedOut`
  ///   when the time is over, `webContextCancelled` when the task is cancelled or `stop` was called.
  public func answer(within limit: Duration? = nil) async throws(AuthError) -> PageAnswer {
    let timedOut = AuthError(
      .webContextTimedOut, "the browser did not come back in time",
      hint: "when the page says that the redirect address is unknown, register "
        + "\(redirectURL) at the provider; else give more time with timeout")
    return try await inbox.slot.answer(within: limit, orElse: timedOut)
  }

  /// Ends the wait with what came another way, such as an address that was pasted.
  ///
  /// An answer that the browser brought before stays the answer.
  public func settle(_ result: Result<PageAnswer, AuthError>) { inbox.slot.settle(result) }

  /// Closes the port, after a page that is on its way; more than once is no error.
  public func stop() {
    inbox.slot.cancel()
    for server in servers { server.stop() }
    servers = []
  }

  /// A port that is free on one address may be taken on the other, so a free one is looked for anew.
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
        // Whoever has the other address would get the answer, so half a port will not do.
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
