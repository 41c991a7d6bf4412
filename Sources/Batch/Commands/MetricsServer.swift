import HTTP
import Host
import System

/// The address of `--metrics`, and the server that responds there with the figures of a run.
struct MetricsServer: Sendable {
  let address: String
  let port: UInt16

  /// Parses `PORT` or `HOST:PORT`; without a host, only this machine can connect.
  init(_ text: String) throws(UsageError) {
    let colon = text.lastIndex(of: ":")
    let host = colon.map { String(text[..<$0]) } ?? "127.0.0.1"
    port = try Quantity.port(
      colon.map { String(text[text.index(after: $0)...]) } ?? text, "--metrics")
    address = HostOption.address(host)
    guard !host.isEmpty, !host.contains(":") || host.hasPrefix("[") && host.hasSuffix("]") else {
      throw UsageError(
        "--metrics takes a port, or an address and a port, not '\(text.printable)'",
        hint: "9464, 0.0.0.0:9464 or [::1]:9464; port 0 is a free one")
    }
  }

  /// Serves `/metrics` on the executor's loop until the loop ends.
  ///
  /// - Returns: The URL.
  func start(
    _ executor: Executor, _ labels: [(name: String, value: String)]
  ) async throws(BatchProblem) -> String {
    let began = Timestamp.now
    do throws(HTTPError) {
      let bound = try await LoopActor(executor.loop).run { _ throws(HTTPError) in
        // A name of this machine may be anything for a server that others can reach; there are no secrets.
        try HTTPServer(
          loop: executor.loop, address: address, port: port,
          limits: ServerLimits(bodyBytes: 1024, connections: 32),
          hosts: HostOption.isLoopback(address) ? .loopback() : .any
        ) { request in
          Self.answer(request) { await executor.metrics(labels, since: began).text }
        }.port
      }
      let host = address.contains(":") ? "[\(address)]" : address
      return "http://\(host):\(bound)/metrics"
    } catch {
      throw BatchProblem(.unavailable, "--metrics: \(error.message)", hint: error.hint)
    }
  }

  private static func answer(
    _ request: HTTPRequest, _ text: @escaping @Sendable () async -> String
  ) -> Answer {
    guard request.url.path == "/metrics" else {
      return .now(ServerResponse(status: 404, text: "the figures are at /metrics\n"))
    }
    guard request.method == "GET" || request.method == "HEAD" else {
      return .now(
        ServerResponse(
          status: 405, text: "/metrics takes GET\n", headers: ["Allow": "GET, HEAD"]))
    }
    return .later { ServerResponse(text: await text(), type: BatchMetrics.contentType) }
  }
}
