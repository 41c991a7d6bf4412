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
  private let site: Site
  private let identityProviders: IdentityProviders
  private var server: HTTPServer?

  /// The emulator runs its work on its own loop's thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    loop.asUnownedSerialExecutor()
  }

  /// An emulator of `project` that is not listening yet.
  public init(
    project: ProjectConfiguration = .demo, clock: EmulatorClock = EmulatorClock(), loop: EventLoop
  ) {
    self.loop = loop
    self.clock = clock
    site = Site(configuration: project, clock: clock, keys: SigningKeys())
    identityProviders = IdentityProviders(site: site)
  }
}
