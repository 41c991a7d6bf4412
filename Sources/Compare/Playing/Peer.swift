public import Admin
import Encoding
public import HTTP
public import IdentityToolkit

/// One of the two servers that are compared: how it is reached, and what was made there.
public final class Peer {
  /// What reports call it: `staging`, `127.0.0.1:9099`, `production`.
  public let name: String
  /// The project, its key and where its backend is.
  public let target: Target
  /// Whether it ends with the comparison, so that nothing need be deleted.
  let isTemporary: Bool
  /// How many requests were sent, retries included.
  public private(set) var requests = 0
  let admin: Admin
  private let transport: any Transport
  /// The settings of the project as an administrator reads them.
  var settings: JSON = [:]
  var belongings: Belongings
  /// Why the last attempt to delete accounts failed.
  var cleaningFailure = ""

  private static let timeout = Duration.seconds(30)
  private static let largestAnswer = 4 << 20

  /// Describes a server; the transport must pass the guard of real projects.
  public init(
    _ name: String, target: Target, transport: any Transport, admin: Admin, run: RunName,
    isTemporary: Bool = false
  ) {
    self.name = name
    self.target = target
    self.transport = transport
    self.admin = admin
    self.isTemporary = isTemporary
    belongings = Belongings(run: run)
  }

  /// Sends one request; what is busy is asked again, as every client of luath does.
  func send(
    _ method: String, _ path: String, query: [(String, String)] = [], headers: HTTPHeaders = [:],
    body: [UInt8] = []
  ) async throws(PeerFailure) -> HTTPResponse {
    guard let request = try await request(method, path, query, headers, body) else {
      throw PeerFailure("the path \(path) makes no address", hint: "")
    }
    var busy = RetryPolicy(isRepeatable: true)
    var lost = RetryPolicy(isRepeatable: method == "GET")
    let began = ContinuousClock.now
    while true {
      requests += 1
      let outcome: Result<HTTPResponse, HTTPError>
      let action: RetryPolicy.Action
      let chance = Double.random(in: 0..<1)
      do throws(HTTPError) {
        let response = try await transport.send(request)
        guard let failure = RetryPolicy.Failure(response) else { return response }
        outcome = .success(response)
        action = busy.next(after: failure, elapsed: began.duration(to: .now), chance: chance)
      } catch {
        outcome = .failure(error)
        action =
          RetryPolicy.Failure(error).map {
            lost.next(after: $0, elapsed: began.duration(to: .now), chance: chance)
          } ?? .giveUp
      }
      guard case .wait(let pause) = action else { return try answer(outcome) }
      do throws(HTTPError) { try await transport.pause(for: pause) } catch {
        throw PeerFailure(error)
      }
    }
  }

  private func answer(
    _ outcome: Result<HTTPResponse, HTTPError>
  ) throws(PeerFailure) -> HTTPResponse {
    switch outcome {
    case .failure(let error): throw PeerFailure(error)
    case .success(let response):
      // Google's servers send 503 for a function that cannot be called: that is an answer.
      if response.status == 503, (try? response.json())?["error"]?["message"] == "Error code: 47" {
        return response
      }
      throw PeerFailure(
        "\(name) is busy: it sent status \(response.status) several times",
        hint: response.status == 429
          ? "a quota is used up; wait, or play fewer scenarios with --only" : "try again later")
    }
  }

  private func request(
    _ method: String, _ path: String, _ query: [(String, String)], _ headers: HTTPHeaders,
    _ body: [UInt8]
  ) async throws(PeerFailure) -> HTTPRequest? {
    guard var url = address(path) else { return nil }
    if !query.isEmpty { url = url.with(fields: FormFields(query)) }
    // Of the application, for keys that are restricted to it.
    var all = target.headers
    for field in headers.fields { all.set(field.name, field.value) }
    if all["Authorization"] == Step.administrator, !target.isEmulated {
      do throws(AdminError) {
        all.set("Authorization", "Bearer \(try await admin.accessToken().reveal())")
      } catch {
        throw PeerFailure(error.message, hint: error.hint)
      }
    }
    return HTTPRequest(
      method: method, url: url, headers: all, body: body, timeout: Self.timeout,
      maximumResponseBytes: Self.largestAnswer)
  }

  /// A path begins with the host of the service, as an emulator serves it; those that begin with `/emulator` are
  /// its controls.
  private func address(_ path: String) -> WebURL? {
    if path.hasPrefix("/emulator/") {
      guard case .emulator(let url) = target.backend else { return nil }
      return WebURL(url.origin + path)
    }
    let parts = path.dropFirst().split(separator: "/", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { return nil }
    return WebURL("\(target.base(of: parts[0]))/\(parts[1])")
  }
}
