internal import HTTP

/// The emulator's outgoing requests: to identity providers and to blocking functions.
final class Network {
  let transport: any Transport
  /// The same transport with a timeout, for identity providers.
  let providers: any Transport
  let issuers: IssuerDirectory

  /// The timeout of one identity provider response; one response of the emulator may wait for four of them.
  static let patience = Duration.seconds(15)

  init(transport: any Transport, clock: EmulatorClock, patience: Duration = patience) {
    self.transport = transport
    providers = TimeoutTransport(transport: transport, patience: patience)
    issuers = IssuerDirectory(transport: providers, clock: clock)
  }
}
