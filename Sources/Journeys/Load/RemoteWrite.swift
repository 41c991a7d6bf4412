import HTTP
import Host
import Synchronization
import System

/// Sends the figures of a load run to an address of Prometheus' remote write, again and again until the run ends.
final class RemoteWrite: Sendable {
  static let option = Option(
    "remote-write", "URL",
    "send the figures of the run to this remote-write address of Prometheus, every 5 seconds",
    default: "not sent")
  private static let pause = Duration.seconds(5)

  private let url: WebURL
  private let problem = Mutex<String?>(nil)

  /// Parses the address.
  init(_ text: String) throws(UsageError) {
    guard let url = WebURL(text) else {
      throw UsageError(
        "--remote-write takes an address such as http://127.0.0.1:9090/api/v1/write",
        hint: "it begins with http:// or https://, and has no user name or password")
    }
    self.url = url
  }

  /// Sends the figures until the task is cancelled, and once more.
  ///
  /// - Returns: The last problem; nil if all was sent.
  func follow(
    on loop: EventLoop, _ metrics: @escaping @Sendable () -> PrometheusMetrics
  ) async -> String? {
    while (try? await Task.sleep(for: Self.pause)) != nil { await send(metrics(), on: loop) }
    // The last figures, in a task that is not cancelled.
    await Task.detached { [self] in await send(metrics(), on: loop) }.value
    return problem.withLock(\.self)
  }

  private func send(_ metrics: PrometheusMetrics, on loop: EventLoop) async {
    var request = HTTPRequest(
      method: "POST", url: url, body: metrics.writeRequest(at: Timestamp.now),
      timeout: Self.pause)
    for (name, value) in PrometheusMetrics.writeHeaders { request.headers.set(name, value) }
    do throws(HTTPError) {
      let response = try await LoopActor(loop).run { [request] _ throws(HTTPError) in
        try await HTTPClient(loop: loop).send(request)
      }
      guard response.status >= 300 else { return }
      problem.withLock { $0 = "\(url.host) responds with status \(response.status)" }
    } catch {
      problem.withLock { $0 = error.message }
    }
  }
}
