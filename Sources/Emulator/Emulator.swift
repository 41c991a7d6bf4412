internal import Encoding
public import HTTP

/// An emulated Firebase project: Identity Toolkit, Secure Token and the identity providers, on loopback.
///
/// It follows the rules it is given; everything it knows is in memory and goes with it.
public actor Emulator {
  /// The loop all of the emulator's work runs on.
  public nonisolated let loop: EventLoop
  /// The clock of the emulated project.
  public nonisolated let clock: EmulatorClock
  private nonisolated let ownsLoop: Bool
  private let site: Site
  private let identityProviders: IdentityProviders
  private var gateway: Gateway?
  private var server: HTTPServer?

  /// The emulator runs its work on its loop's thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    loop.asUnownedSerialExecutor()
  }

  /// An emulator of `project` that is not listening yet, on `loop` or, without one, on a loop of its own.
  ///
  /// Several emulators start faster with the same `keys`, which take a while to make. With
  /// `keepsQuotas` it refuses what goes beyond Google's documented limits.
  public init(
    project: ProjectConfiguration = .demo, rules: Rules = .production,
    clock: EmulatorClock = EmulatorClock(),
    loop: EventLoop? = nil, keys: SigningKeys = SigningKeys(), faults: FaultPlan = FaultPlan(),
    keepsQuotas: Bool = false
  ) throws(HTTPError) {
    self.clock = clock
    ownsLoop = loop == nil
    if let loop {
      self.loop = loop
    } else {
      self.loop = try EventLoop(name: "emulator")
      try self.loop.start()
    }
    site = Site(configuration: project, rules: rules, clock: clock, keys: keys)
    site.faults = Faults(project.faults, and: faults)
    site.quotas = keepsQuotas ? Quotas() : nil
    identityProviders = IdentityProviders(site: site)
  }

  /// Lets `hear` know of every letter and text message that would have been sent, links and codes included.
  ///
  /// Only for somebody who plays the mailbox: what is heard must not reach a log. It is called on the
  /// emulator's loop, so it must not block.
  public func tellNotices(to hear: @escaping @Sendable (String) -> Void) {
    site.notices = hear
  }

  /// Listens on 127.0.0.1 and returns the port; 0 takes any free one.
  public func start(port: UInt16 = 0) throws(HTTPError) -> UInt16 {
    if let server { return server.port }
    let gateway = Gateway(site: site, transport: HTTPClient(loop: loop), loop: loop)
    // Imports of many thousand accounts come in one body.
    let limits = ServerLimits(bodyBytes: 512 << 20)
    let server = try HTTPServer(loop: loop, port: port, limits: limits) { [weak self] request in
      guard let self else { return .now(ServerResponse(status: 503)) }
      return self.assumeIsolated { $0.answer(request) }
    }
    self.gateway = gateway
    self.server = server
    site.origin = "http://127.0.0.1:\(server.port)"
    // The first sign-in shall not wait for it.
    if site.rules[.signedTokens] { site.keys.prepare(.idTokens) }
    return server.port
  }

  /// Stops listening; an emulator with a loop of its own cannot be used again.
  public nonisolated func stop() async {
    await close()
    guard ownsLoop else { return }
    loop.stop()
    loop.join()
  }

  private func close() {
    server?.stop()
    server = nil
    gateway = nil
    site.keys.settle()
  }

  private func answer(_ request: HTTPRequest) -> Answer {
    if let answer = identityProviders.answer(request) { return answer }
    guard let gateway else { return .now(ServerResponse(status: 503)) }
    switch gateway.turn(request) {
    case .done(var response):
      CrossOrigin.allow(&response, request)
      return .now(response)
    case .waits(let call, let backend):
      let work = WaitingCall(call: call, backend: backend, request: request)
      if backend.asksOthers(call) { return .later { await self.finish(work) } }
      // Nothing to wait for: the task ends before this line does, and the answer can go out at once.
      let answer = PendingAnswer()
      Task.immediate { answer.give(await self.finish(work)) }
      if let response = answer.response { return .now(response) }
      return .later { await answer.wait() }
    case .struck(let call, let backend, let strike):
      let work = WaitingCall(call: call, backend: backend, request: request, strike: strike)
      return .later { await self.finish(work) }
    }
  }

  private func finish(_ work: WaitingCall) async -> ServerResponse {
    guard let gateway else { return ServerResponse(status: 503) }
    var response =
      if let strike = work.strike {
        await gateway.finish(work.call, work.backend, struckBy: strike)
      } else {
        await gateway.finish(work.call, work.backend)
      }
    CrossOrigin.allow(&response, work.request)
    return response
  }
}

/// A call on its way from the server's callback to the emulator's task.
///
/// Unchecked, because both run on the loop's thread and nothing else ever holds it.
private struct WaitingCall: @unchecked Sendable {
  let call: Call
  let backend: Backend
  let request: HTTPRequest
  /// What goes wrong with it.
  var strike: Faults.Strike?
}

/// An answer that is there, or comes on the loop's thread; unchecked for the same reason.
private final class PendingAnswer: @unchecked Sendable {
  private(set) var response: ServerResponse?
  private var waiter: CheckedContinuation<ServerResponse, Never>?

  func give(_ response: ServerResponse) {
    self.response = response
    waiter?.resume(returning: response)
    waiter = nil
  }

  nonisolated(nonsending) func wait() async -> ServerResponse {
    if let response { return response }
    return await withCheckedContinuation { waiter = $0 }
  }
}
