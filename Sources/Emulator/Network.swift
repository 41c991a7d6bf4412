internal import HTTP

/// How the emulator reaches others: identity providers and blocking functions.
final class Network {
  let transport: any Transport
  /// The same for identity providers.
  let providers: any Transport
  let issuers: IssuerDirectory

  /// How long an identity provider may take for one answer: whoever waits for ours waits for four of them.
  static let patience = Duration.seconds(15)

  init(transport: any Transport, clock: EmulatorClock, patience: Duration = patience) {
    self.transport = transport
    providers = HastyTransport(transport: transport, patience: patience)
    issuers = IssuerDirectory(transport: providers, clock: clock)
  }
}
