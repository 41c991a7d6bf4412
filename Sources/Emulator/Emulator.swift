internal import Encoding
public import HTTP
internal import Journal

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
  private var stateFailed: (@Sendable (StateError) -> Void)?

  /// The emulator runs its work on its loop's thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    loop.asUnownedSerialExecutor()
  }

  /// An emulator of `project` that is not listening yet, on `loop` or, without one, on a loop of its own.
  ///
  /// Several emulators start faster with the same `keys`, which take a while to make. With
  /// `keepsQuotas` it refuses what goes beyond Google's documented limits, with `isSingleProject` what names
  /// another project.
  public init(
    project: ProjectConfiguration = .demo, rules: Rules = .production,
    clock: EmulatorClock = EmulatorClock(),
    loop: EventLoop? = nil, keys: SigningKeys = SigningKeys(), faults: FaultPlan = FaultPlan(),
    keepsQuotas: Bool = false, isSingleProject: Bool = false
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
    site.isSingleProject = isSingleProject
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

  /// Tells the Functions emulator at `origin` of every account that is made or deleted.
  ///
  /// Nobody waits for its answers.
  public func tellFunctions(at origin: WebURL) {
    site.functions = FunctionsEmulator(origin: origin, client: HTTPClient(loop: loop))
  }

  /// Listens on 127.0.0.1 and returns the port; 0 takes any free one.
  public func start(port: UInt16 = 0) throws(HTTPError) -> UInt16 {
    if let server { return server.port }
    let gateway = gateway ?? Gateway(site: site, transport: HTTPClient(loop: loop), loop: loop)
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

  /// Goes on with the state in a file, and keeps every change there from now on; before `start`.
  ///
  /// A change has reached the file before it is answered, so that `kill -9` loses nothing that was
  /// acknowledged. When the file cannot be written any more, every request is refused and `failed` is
  /// called once: what the emulator holds is then more than what the file does.
  public func keepState(
    in path: String, durability: StateDurability = .processDeath,
    failed: @escaping @Sendable (StateError) -> Void = { _ in }
  ) throws(StateError) {
    precondition(gateway == nil, "the state is opened once, before the emulator starts")
    let recorder: StateRecorder
    do throws(JournalError) {
      recorder = StateRecorder(
        file: try StateFile(path: path, durability: durability.journal), site: site)
    } catch {
      throw StateError(error)
    }
    site.recorder = recorder
    let gateway = Gateway(site: site, transport: HTTPClient(loop: loop), loop: loop)
    do {
      recorder.restore(try LoadedState.read(recorder, into: gateway.projects))
    } catch {
      recorder.close()
      throw LoadedState.error(error, path: path)
    }
    stateFailed = failed
    self.gateway = gateway
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
    // What was answered is committed; a call that still waits for somebody is answered no more.
    site.recorder?.close()
  }

  private func answer(_ request: HTTPRequest) -> Answer {
    if let answer = identityProviders.answer(request) { return settled(answer) }
    guard let gateway else { return .now(ServerResponse(status: 503)) }
    switch gateway.turn(request) {
    case .done(var response):
      CrossOrigin.allow(&response, request)
      return .now(settled(response))
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
    return settled(response)
  }

  // MARK: State

  /// The answer, once what it speaks of is in the state file; a refusal when that is not possible.
  private func settled(_ response: ServerResponse) -> ServerResponse {
    guard let recorder = site.recorder else { return response }
    do throws(StateError) {
      try recorder.commit()
      return response
    } catch {
      let failed = stateFailed.take()
      failed?(error)
      return Gateway.response(
        .internalFailure("the state file cannot be written; the emulator keeps nothing any more"))
    }
  }

  private func settled(_ answer: Answer) -> Answer {
    switch answer {
    case .now(let response): .now(settled(response))
    case .later(let work): .later { await self.settled(await work()) }
    case .stream(let response, let opened): .stream(settled(response), opened: opened)
    }
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
