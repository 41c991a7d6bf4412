public import HTTP
import System

/// The address of `--metrics`, and the server that responds there with the figures of a run.
public struct MetricsServer: Sendable {
  /// The option of commands that have a run.
  public static let option = Option(
    "metrics", "[HOST:]PORT",
    "serve figures of the run for Prometheus at /metrics; port 0 takes a free one",
    default: "not served")

  /// The IP address to listen on.
  public let address: String
  private let port: UInt16

  /// Parses `PORT` or `HOST:PORT`; without a host, only this machine can connect.
  public init(_ text: String) throws(UsageError) {
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

  /// Serves `/metrics` on a loop until the loop ends.
  ///
  /// - Parameter text: Returns the figures of this moment in the format of `PrometheusMetrics`.
  /// - Returns: The URL.
  public func start(
    on loop: EventLoop, _ text: @escaping @Sendable () async -> String
  ) async throws(HTTPError) -> String {
    let bound = try await LoopActor(loop).run { _ throws(HTTPError) in
      // A name of this machine may be anything for a server that others can reach; there are no secrets.
      try HTTPServer(
        loop: loop, address: address, port: port,
        limits: ServerLimits(bodyBytes: 1024, connections: 32),
        hosts: HostOption.isLoopback(address) ? .loopback() : .any
      ) { request in Self.answer(request, text) }.port
    }
    let host = address.contains(":") ? "[\(address)]" : address
    return "http://\(host):\(bound)/metrics"
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
    return .later { ServerResponse(text: await text(), type: PrometheusMetrics.contentType) }
  }
}
