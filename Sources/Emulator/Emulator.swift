internal import Encoding
public import HTTP

/// An emulated Firebase project: Identity Toolkit, Secure Token and the identity providers, on loopback.
///
/// It follows the rules of Google's servers. Everything it knows is in memory and goes with it.
public actor Emulator {
  /// The loop all of the emulator's work runs on.
  public nonisolated let loop: EventLoop
  /// The clock of the emulated project.
  public nonisolated let clock: EmulatorClock
  private nonisolated let ownsLoop: Bool
  private let site: Site
  private let identityProviders: IdentityProviders
  private var backend: Backend?
  private var server: HTTPServer?

  /// The emulator runs its work on its loop's thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    loop.asUnownedSerialExecutor()
  }

  /// An emulator of `project` that is not listening yet, on `loop` or, without one, on a loop of its own.
  ///
  /// Several emulators start faster with the same `keys`, which take a while to make.
  public init(
    project: ProjectConfiguration = .demo, clock: EmulatorClock = EmulatorClock(),
    loop: EventLoop? = nil, keys: SigningKeys = SigningKeys()
  ) throws(HTTPError) {
    self.clock = clock
    ownsLoop = loop == nil
    if let loop {
      self.loop = loop
    } else {
      self.loop = try EventLoop(name: "emulator")
      try self.loop.start()
    }
    site = Site(configuration: project, clock: clock, keys: keys)
    identityProviders = IdentityProviders(site: site)
  }

  /// Listens on 127.0.0.1 and returns the port; 0 takes any free one.
  public func start(port: UInt16 = 0) throws(HTTPError) -> UInt16 {
    if let server { return server.port }
    let backend = Backend(site: site, transport: HTTPClient(loop: loop))
    let server = try HTTPServer(loop: loop, port: port) { [weak self] request in
      guard let self else { return .now(ServerResponse(status: 503)) }
      return self.assumeIsolated { $0.answer(request) }
    }
    self.backend = backend
    self.server = server
    site.origin = "http://127.0.0.1:\(server.port)"
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
    backend = nil
    site.keys.settle()
  }

  private func answer(_ request: HTTPRequest) -> Answer {
    if let answer = identityProviders.answer(request) { return answer }
    guard let backend else { return .now(ServerResponse(status: 503)) }
    switch backend.turn(request) {
    case .done(let response): return .now(response)
    case .waits(let operation, let call): return .later { await self.finish(operation, call) }
    }
  }

  private func finish(_ operation: Turn.Waiting, _ call: Call) async -> ServerResponse {
    guard let backend else { return ServerResponse(status: 503) }
    return await backend.finish(operation, call)
  }
}
