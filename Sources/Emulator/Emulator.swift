public import System
public import HTTP
internal import IdentityToolkit
internal import Storage

/// An emulated Firebase project: Identity Toolkit, Secure Token and the identity providers, on loopback.
///
/// Its behavior follows the given rules. All state is in memory unless `keepState` names a file.
public actor Emulator {
  /// The event loop that runs all of the emulator's work.
  nonisolated let loop: EventLoop
  /// The clock of the emulated project.
  public nonisolated let clock: EmulatorClock
  private nonisolated let ownsLoop: Bool
  var context: EmulatorContext
  private var identityProviders: IdentityProviders
  /// The initial state, here and after each `renew`.
  private let beginning: InitialState
  private var gateway: RequestRouter?
  private var server: HTTPServer?
  /// Whether the emulator has started and is not closed, so that it uses the keys.
  private var hasBegun = false
  private var stateFailed: (@Sendable (Problem) -> Void)?
  private var dashboard: Dashboard?
  private var visitors: VisitorCheck?

  /// The emulator runs its work on its loop's thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    loop.asUnownedSerialExecutor()
  }

  /// An emulator of `project` that does not listen yet, on `loop` or on its own loop.
  ///
  /// Generating keys takes a while, so several emulators should share `keys`. With `keepsQuotas` the
  /// emulator refuses calls beyond Google's documented limits, with `isSingleProject` calls that name another
  /// project.
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
    beginning = InitialState(
      project: project, rules: rules, keys: keys, faults: faults, keepsQuotas: keepsQuotas,
      isSingleProject: isSingleProject, clockAdvance: clock.advance)
    context = beginning.context(clock: clock)
    identityProviders = IdentityProviders(context: context)
  }

  /// Calls `hear` with every e-mail and SMS that would have been sent, links and codes included.
  ///
  /// Only for showing the mailbox to the user: these texts must not reach a log. `hear` is called on the emulator's
  /// loop, so it must not block.
  public func tellNotices(to hear: @escaping @Sendable (String) -> Void) {
    context.notices = hear
  }

  /// Calls `receive` with every e-mail and SMS that is sent, on the emulator's loop, so it must not block.
  public func observeMessages(_ receive: @escaping @Sendable (SentMessage) -> Void) {
    context.messages = receive
  }

  /// Replaces the project with a fresh one at the same address.
  ///
  /// Accounts, settings, clock, faults and all other state since the start are gone; only the signing keys stay. Must
  /// not be called when the emulator keeps its state in a file. Different values of `chance` give different random
  /// faults.
  public func renew(chance: UInt64 = 0) {
    precondition(context.recorder == nil, "what is kept in a file is not thrown away")
    let old = context
    clock.restore(advance: beginning.clockAdvance)
    context = beginning.context(clock: clock, chance: chance)
    context.origin = old.origin
    context.patience = old.patience
    context.functions = old.functions
    context.notices = old.notices
    context.messages = old.messages
    identityProviders = IdentityProviders(context: context)
    gateway = nil
    let gateway = madeGateway()
    dashboard = server.map { Dashboard(gateway: gateway, loop: loop, port: $0.port) }
  }

  /// Moves the project, as it is, to another emulator, and replaces it here as `renew` does.
  ///
  /// The other emulator runs on this one's loop, shares its clock, and does not listen yet. Stop it before this one.
  public func part(chance: UInt64 = 0) throws(HTTPError) -> Emulator {
    let other = try Emulator(
      project: beginning.project, rules: beginning.rules, clock: clock, loop: loop,
      keys: beginning.keys, faults: beginning.faults, keepsQuotas: beginning.keepsQuotas,
      isSingleProject: beginning.isSingleProject)
    // Unchecked, because both emulators run on the same thread, and this one drops its references.
    nonisolated(unsafe) let parts = (context, identityProviders, madeGateway())
    other.assumeIsolated { $0.adopt(parts.0, parts.1, parts.2) }
    renew(chance: chance)
    return other
  }

  private func adopt(
    _ context: EmulatorContext, _ providers: IdentityProviders, _ gateway: RequestRouter
  ) {
    self.context = context
    identityProviders = providers
    self.gateway = gateway
  }

  /// Sets how long an identity provider may take for each response instead of fifteen seconds; call it before
  /// `start`.
  func wait(forProviders patience: Duration) {
    context.patience = patience
  }

  /// Reports every account that is created or deleted to the Functions emulator at `origin`.
  ///
  /// Does not wait for the responses.
  public func tellFunctions(at origin: WebURL) {
    context.functions = FunctionsEmulator(origin: origin, client: HTTPClient(loop: loop))
  }

  /// Listens on an address of this machine and returns the port; 0 takes any free one.
  ///
  /// On an address other than loopback, other machines can reach the emulator, which has no access control.
  public func start(
    address: String = "127.0.0.1", port: UInt16 = 0
  ) throws(HTTPError) -> UInt16 {
    if let server { return server.port }
    let gateway = madeGateway()
    visitors = VisitorCheck(
      rules: context.rules, address: address, allowed: context.initialConfiguration.allowedOrigins)
    let limits = ServerLimits(
      bodyBytes: Self.maximumBodyBytes, totalBodyBytes: Self.maximumTotalBodyBytes)
    // Which hosts are allowed depends on the rules and the path, so the server itself accepts all of them.
    let server = try HTTPServer(
      loop: loop, address: address, port: port, limits: limits, hosts: .any,
      passesBodyFaults: true
    ) { [weak self] request in
      guard let self else { return .now(ServerResponse(status: 503)) }
      return self.assumeIsolated { $0.answer(request) }
    }
    self.server = server
    hasBegun = true
    context.keys.use(preparing: context.rules[.signedTokens] ? .tokens : nil)
    dashboard = Dashboard(gateway: gateway, loop: loop, port: server.port)
    context.origin = "http://\(Self.host(reaching: address)):\(server.port)"
    return server.port
  }

  /// The maximum size of a request body in bytes, also after decompression: 32 MiB.
  ///
  /// An import of a thousand accounts, the most that one call may have, takes about 2 MiB.
  static let maximumBodyBytes = 32 << 20
  /// The maximum size of all request bodies in memory at once, in bytes: 256 MiB.
  static let maximumTotalBodyBytes = 256 << 20

  /// The host, as written in a URL, by which programs on this machine reach a listening address.
  public static func host(reaching address: String) -> String {
    switch address {
    case "0.0.0.0": "127.0.0.1"
    case "::": "[::1]"
    default: address.utf8.contains(UInt8(ascii: ":")) ? "[\(address)]" : address
    }
  }

  /// Continues with the state in a file and writes every change there from now on; call it before `start`.
  ///
  /// A change has reached the file before its response is sent, so `kill -9` loses nothing that was acknowledged.
  /// When the file cannot be written any more, every request is refused and `failed` is called once: the emulator's
  /// state is then ahead of the file. Errors name the file, never its contents.
  public func keepState(
    in path: String, durability: StateDurability = .processDeath,
    failed: @escaping @Sendable (Problem) -> Void = { _ in }
  ) throws(Problem) {
    precondition(gateway == nil, "the state is opened once, before the emulator starts")
    let recorder: StateRecorder
    do throws(JournalError) {
      recorder = StateRecorder(
        file: try StateFile(path: path, durability: durability.journal), context: context)
    } catch {
      throw Problem(error.message, hint: error.hint)
    }
    context.recorder = recorder
    do {
      recorder.restore(try LoadedState.read(recorder, into: madeGateway().projects))
    } catch {
      recorder.close()
      throw LoadedState.error(error, path: path)
    }
    stateFailed = failed
  }

  /// The request router; loading state or an export needs it before the server listens.
  func madeGateway() -> RequestRouter {
    if let gateway { return gateway }
    let made = RequestRouter(context: context, transport: HTTPClient(loop: loop), loop: loop)
    gateway = made
    return made
  }

  /// Makes changes that were made outside a request durable.
  func commit() throws(Problem) {
    try context.recorder?.commit()
  }

  /// Waits until tokens can be signed without a delay, without blocking the thread.
  public func waitForKeys() async {
    if context.rules[.signedTokens] { await context.keys.made(.tokens) }
  }

  /// Stops listening, so that the state no longer changes; `stop` must follow.
  public func stopServing() {
    server?.stop()
    server = nil
  }

  /// Stops listening; an emulator with its own loop cannot be used again.
  public nonisolated func stop() async {
    await close()
    guard ownsLoop else { return }
    loop.stop()
    loop.join()
  }

  private func close() {
    stopServing()
    gateway = nil
    dashboard = nil
    if hasBegun { context.keys.settle() }
    hasBegun = false
    // Responses that were sent are committed; calls that still wait get no response.
    context.recorder?.close()
  }

  private func answer(_ request: HTTPRequest) -> Answer {
    if let refusal = visitors?.refusal(of: request) { return .now(refusal) }
    // Only the request router refuses an unreadable body; the others would take it for an empty one.
    let isReadable = request.bodyFault == nil
    if isReadable, let turn = dashboard?.turn(request) { return answer(request, turn) }
    guard let pair = context.missingKey(of: request) else { return route(request) }
    // Key pairs are never generated on this thread, so that no other request has to wait.
    return .later { await self.route(request, after: pair) }
  }

  /// Carries out a request after its key pair was generated.
  private func route(
    _ request: HTTPRequest, after pair: SigningKeys.Pair
  ) async -> ServerResponse {
    await context.keys.made(pair)
    guard server != nil else { return ServerResponse(status: 503) }
    switch route(request) {
    case .now(let response): return response
    case .later(let work): return await work()
    // Only the dashboard streams.
    case .stream(let response, _): return response
    }
  }

  private func route(_ request: HTTPRequest) -> Answer {
    let isReadable = request.bodyFault == nil
    let began = ContinuousClock.now
    if isReadable, let answer = identityProviders.answer(request) {
      if case .now(let response) = answer { note(request, response, since: began) }
      return settled(answer)
    }
    guard let gateway else { return .now(ServerResponse(status: 503)) }
    switch gateway.turn(request) {
    case .done(var response):
      CrossOrigin.allow(&response, request)
      // Tools probe `/` every second; logging that would be noise.
      response = settled(response)
      if request.url.path != "/" { note(request, response, since: began) }
      return .now(response)
    case .waits(let call, let backend):
      let work = WaitingCall(call: call, backend: backend, request: request, began: began)
      if backend.asksOthers(call) { return .later { await self.finish(work) } }
      // If the call waits for nothing, the task ends before this line does, and the response can be sent at once.
      let answer = PendingAnswer()
      Task.immediate { answer.give(await self.finish(work)) }
      if let response = answer.response { return .now(response) }
      return .later { await answer.wait() }
    case .struck(let call, let backend, let strike):
      let work = WaitingCall(
        call: call, backend: backend, request: request, began: began, strike: strike)
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
    response = settled(response)
    note(work.request, response, since: work.began)
    return response
  }

  // MARK: State

  /// Commits the changes to the state file and returns the response, or an error when that fails.
  private func settled(_ response: ServerResponse) -> ServerResponse {
    guard let recorder = context.recorder else { return response }
    do throws(Problem) {
      try recorder.commit()
      return response
    } catch {
      let failed = stateFailed.take()
      failed?(error)
      return RequestRouter.response(
        .internalFailure("the state file cannot be written; the emulator keeps nothing any more"),
        .emulator)
    }
  }

  private func settled(_ answer: Answer) -> Answer {
    switch answer {
    case .now(let response): .now(settled(response))
    case .later(let work): .later { await self.settled(await work()) }
    case .stream(let response, let opened): .stream(settled(response), opened: opened)
    }
  }

  private func note(
    _ request: HTTPRequest, _ response: ServerResponse, since began: ContinuousClock.Instant
  ) {
    context.events.note(
      request, response, nanoseconds: (ContinuousClock.now - began).wholeNanoseconds)
  }

  // MARK: Dashboard

  private func answer(_ request: HTTPRequest, _ turn: Dashboard.Turn) -> Answer {
    switch turn {
    case .page(let response): return .now(response)
    case .form: return .later { await self.post(request) }
    case .stream(let kind, let number):
      return .stream(EventStreams.head) { [weak self] stream in
        self?.assumeIsolated { $0.watch(stream, kind, after: number) }
      }
    }
  }

  private func post(_ request: HTTPRequest) async -> ServerResponse {
    guard let dashboard else { return ServerResponse(status: 503) }
    return settled(await dashboard.post(request))
  }

  private func watch(_ stream: ServerStream, _ kind: EventStreams.Kind, after number: Int?) {
    dashboard?.streams.add(stream, kind, after: number)
    stream.onEnd { [weak self] in
      self?.assumeIsolated { $0.dashboard?.streams.remove(stream) }
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
  let began: ContinuousClock.Instant
  var strike: Faults.Strike?
}

/// A response that exists already or arrives on the loop's thread; unchecked for the same reason.
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
