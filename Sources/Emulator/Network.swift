internal import HTTP

/// How the emulator reaches others: identity providers and blocking functions.
final class Network {
  let transport: any Transport
  let issuers: IssuerDirectory

  init(transport: any Transport, clock: EmulatorClock) {
    self.transport = transport
    issuers = IssuerDirectory(transport: transport, clock: clock)
  }
}
