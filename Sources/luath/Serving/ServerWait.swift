import HTTP
import Host
import System

/// Waits until servers respond, for `--wait-for`.
struct ServerWait: Sendable {
  static let options = [
    Option(
      "wait-for", "URL",
      "start the command when this address responds, with any status below 500",
      default: "start it at once", isRepeatable: true),
    Option(
      "wait-timeout", "TIME", "how long all of --wait-for may take: 500ms, 30s, 5m", default: "60s"),
  ]

  private let addresses: [WebURL]
  private let limit: Duration

  /// Reads the options; throws for values that are not valid.
  init(_ arguments: ParsedArguments) throws(UsageError) {
    var addresses: [WebURL] = []
    for text in arguments.lists["wait-for"] ?? [] {
      guard let url = WebURL(text), text.hasPrefix("http://") || text.hasPrefix("https://") else {
        throw UsageError(
          "--wait-for takes an address such as http://127.0.0.1:3000/, not '\(text.printable)'")
      }
      addresses.append(url)
    }
    self.addresses = addresses
    limit =
      try arguments.values["wait-timeout"].map { text throws(UsageError) in
        try Quantity.time(text, "--wait-timeout")
      } ?? .seconds(60)
  }

  /// Waits for all servers; throws when one does not respond in time, or at an interrupt.
  func wait() async throws(CommandFailure) {
    guard !addresses.isEmpty else { return }
    let loop = try EventLoop.started("wait") { CommandFailure($0) }
    defer {
      loop.stop()
      loop.join()
    }
    try await LoopActor(loop).run { _ throws(CommandFailure) in
      let client = HTTPClient(loop: loop)
      let deadline = ContinuousClock.now + limit
      for address in addresses { try await wait(for: address, until: deadline, client) }
    }
  }

  private func wait(
    for address: WebURL, until deadline: ContinuousClock.Instant, _ client: HTTPClient
  ) async throws(CommandFailure) {
    while true {
      let fault: String
      do throws(HTTPError) {
        let left = ContinuousClock.now.duration(to: deadline)
        let response = try await client.send(
          HTTPRequest(
            url: address, timeout: max(min(left, .seconds(10)), .milliseconds(100)),
            maximumResponseBytes: 4 << 20))
        if response.status < 500 { return }
        fault = "its last response had the status \(response.status)"
      } catch {
        // The server responds, but with more than is read here.
        if error.code == .tooLarge { return }
        fault = error.message
      }
      if Interrupts.hasCome { throw CommandFailure(.interrupted, "interrupted") }
      guard ContinuousClock.now < deadline else {
        throw CommandFailure(
          .timedOut, "\(address.origin.printable) did not become ready in time: \(fault)",
          hint:
            "check that the server starts and that --wait-for has its address, or raise --wait-timeout"
        )
      }
      do throws(HTTPError) { try await client.pause(for: .milliseconds(50)) } catch {
        throw CommandFailure(error)
      }
    }
  }
}
