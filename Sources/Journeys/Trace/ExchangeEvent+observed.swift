import HTTP
import IdentityToolkit
import Host

extension ExchangeEvent {
  /// Creates an event from an exchange, with its secrets removed.
  ///
  /// - Parameter book: The secrets found so far, including those of this exchange.
  init(_ exchange: ObservedExchange, number: Int, hiding masker: SecretMasker) {
    let request = exchange.request
    var cleaner = ExchangeCleaner(masker, isBrowser: exchange.sender == .browser)
    let route = ExchangeRoute(exchange)
    self.init(
      exchange: number, from: exchange.sender == .browser ? .browser : .script,
      to: route.receiver, operation: route.operation.map { masker.clean($0) },
      method: request.method, url: cleaner.address(request.url),
      duration: EventHub.milliseconds(exchange.duration))
    self.request = Message(
      headers: cleaner.headers(request.headers),
      body: cleaner.body(request.body, type: request.headers["Content-Type"]))
    switch exchange.result {
    case .success(let response):
      cleaner.beginAnswer()
      status = response.status
      protocolName = response.protocolName
      if let measured = response.timings { timings = Timings(measured) }
      self.response = Message(
        headers: cleaner.headers(response.headers),
        body: cleaner.body(response.body, type: response.headers["Content-Type"]))
    case .failure(let failure):
      error = masker.clean(failure.message)
      timings.wait = duration
    }
    tokens = cleaner.tokens
  }
}

extension ExchangeEvent.Timings {
  fileprivate init(_ timings: HTTPTimings) {
    func milliseconds(_ time: Int?) -> Double? { time.map { Double($0) / 1000 } }
    self.init(
      blocked: milliseconds(timings.blocked), dns: milliseconds(timings.nameLookup),
      connect: milliseconds(timings.connect), tls: milliseconds(timings.tls),
      send: Double(timings.send) / 1000, wait: Double(timings.wait) / 1000,
      receive: Double(timings.receive) / 1000)
  }
}
