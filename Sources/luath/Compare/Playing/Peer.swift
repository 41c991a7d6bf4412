import Client
import HTTP
import Host
import IdentityToolkit
import System

/// One of the two servers of a comparison, and the accounts created there.
final class Peer {
  /// The name in reports: `staging`, `127.0.0.1:9099`, `production`.
  let name: String
  /// The project, its API key and the address of its backend.
  let target: Target
  /// Whether it is stopped after the comparison, so that nothing need be deleted.
  let isTemporary: Bool
  /// Whether its clock may be moved.
  let hasOwnClock: Bool
  /// The seconds by which its clock is ahead.
  private(set) var secondsAhead: Int64
  /// The number of requests sent, including retries.
  private(set) var requests = 0
  let admin: Admin
  private let transport: any Transport
  /// The project's settings, as an administrator reads them.
  var settings: JSON = [:]
  var belongings: Belongings
  /// Why the last deletion of accounts failed.
  var cleaningFailure = ""

  /// The timeout of one request; each blocking function of a project may take 7 s.
  private var timeout: Duration
  /// Whether a batch deletion was sent to a real project.
  private var hasDeleted = false
  /// The number of consecutive requests without a response.
  private var unanswered = 0
  /// The number of consecutive requests without a response that ends the comparison.
  static let patience = 3
  private static let largestAnswer = 4 << 20

  /// A server for a comparison; the transport must pass the guard of real projects.
  ///
  /// - Parameters:
  ///   - hasOwnClock: Whether it is an emulator whose clock may be moved.
  ///   - secondsAhead: The seconds by which its clock is ahead.
  ///   - timeout: The timeout of one request.
  init(
    _ name: String, target: Target, transport: any Transport, admin: Admin, run: RunName,
    isTemporary: Bool = false, hasOwnClock: Bool = false, secondsAhead: Int64 = 0,
    timeout: Duration = .seconds(10)
  ) {
    self.name = name
    self.target = target
    self.transport = transport
    self.admin = admin
    self.isTemporary = isTemporary
    self.hasOwnClock = hasOwnClock
    self.secondsAhead = secondsAhead
    self.timeout = timeout
    belongings = Belongings(run: run)
  }

  /// Sends one request; sends it again with growing pauses while the server is busy or a quota is exceeded.
  func send(
    _ method: String, _ path: String, query: [(String, String)] = [], headers: HTTPHeaders = [:],
    body: [UInt8] = []
  ) async throws(PeerFailure) -> HTTPResponse {
    guard let request = try await request(method, path, query, headers, body) else {
      throw PeerFailure("the path \(path) makes no address", hint: "")
    }
    guard !isSilent else { throw silence }
    // Google allows one batch deletion a second.
    let deletes = path.hasSuffix(":batchDelete") && !target.isEmulated
    let pace: Duration = deletes ? .milliseconds(1100) : .zero
    if deletes, hasDeleted { try await wait(for: pace) }
    if deletes { hasDeleted = true }
    var busy = RetryPolicy(isRepeatable: true)
    // The same settings twice do no harm.
    let changesSettings = method == "PATCH" && path.hasSuffix("/config")
    var lost = RetryPolicy(isRepeatable: method == "GET" || changesSettings)
    let began = ContinuousClock.now
    while true {
      requests += 1
      let outcome: Result<HTTPResponse, HTTPError>
      let action: RetryPolicy.Action
      do throws(HTTPError) {
        let response = try await transport.send(request)
        unanswered = 0
        guard let failure = Self.refusalForNow(response) else { return response }
        outcome = .success(response)
        action = busy.next(after: failure, elapsed: began.duration(to: .now), chance: 1)
      } catch {
        outcome = .failure(error)
        let failure = PeerFailure(error)
        if !failure.isRefusedByGuard { unanswered += 1 }
        if isSilent { throw PeerFailure(error) }
        action =
          RetryPolicy.Failure(error).map {
            lost.next(after: $0, elapsed: began.duration(to: .now), chance: 1)
          } ?? .giveUp
      }
      guard case .wait(let pause) = action else { return try answer(outcome) }
      try await wait(for: max(pause, pace))
    }
  }

  /// Waits before a request.
  func wait(for pause: Duration) async throws(PeerFailure) {
    do throws(HTTPError) { try await transport.pause(for: pause) } catch {
      throw PeerFailure(error)
    }
  }

  /// The reason to repeat a request later; nil for a response that counts.
  ///
  /// Google's servers refuse requests beyond most quotas with 400 instead of 429.
  private static func refusalForNow(_ response: HTTPResponse) -> RetryPolicy.Failure? {
    if let failure = RetryPolicy.Failure(response) { return failure }
    guard response.status == 400,
      let message = (try? response.json())?["error"]?["message"]?.string,
      message.hasPrefix("QUOTA_EXCEEDED")
    else { return nil }
    return .busy(retryAfter: nil)
  }

  /// Whether it failed to respond so often in a row that no more requests are sent.
  var isSilent: Bool { unanswered >= Self.patience }

  private var silence: PeerFailure {
    PeerFailure("\(name) did not respond \(Self.patience) times in a row", hint: "")
  }

  /// Allows one more request to a server that did not respond, and the usual number to others.
  func askOnceMore() { unanswered = isSilent ? Self.patience - 1 : 0 }

  /// Increases the timeout, because blocking functions of the project run before responses.
  func waitForFunctions() { timeout = max(timeout, .seconds(20)) }

  /// Moves an emulator's clock forward.
  func advance(seconds: Int64) async throws(PeerFailure) {
    let response = try await send(
      "PATCH", "/emulator/v1/clock", headers: ["Content-Type": "application/json"],
      body: JSON.object(["advanceSeconds": .integer(seconds)]).encodedBytes())
    guard response.status == 200 else {
      throw PeerFailure("\(name) does not move its clock: status \(response.status)", hint: "")
    }
    secondsAhead += seconds
  }

  private func answer(
    _ outcome: Result<HTTPResponse, HTTPError>
  ) throws(PeerFailure) -> HTTPResponse {
    switch outcome {
    case .failure(let error): throw PeerFailure(error)
    case .success(let response):
      if response.status == 400 { return response }
      // Google's servers return 503 for an unreachable function: that is a valid response.
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
    // Headers of the app, for restricted API keys.
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
      method: method, url: url, headers: all, body: body, timeout: timeout,
      maximumResponseBytes: Self.largestAnswer)
  }

  /// The URL of a path, which begins with the host of the service, as at an emulator.
  ///
  /// Paths below `/emulator` are the emulator's controls.
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

/// Why a server gave no comparable response.
struct PeerFailure: Error, Sendable {
  /// What happened.
  let message: String
  /// What the user can do about it.
  let hint: String
  /// Whether this run may not change the project, so that no further scenario can run.
  let isRefusedByGuard: Bool
  /// Whether the server may have performed the request.
  let isOutcomeUnknown: Bool

  init(_ message: String, hint: String) {
    self.message = message
    self.hint = hint
    isRefusedByGuard = false
    isOutcomeUnknown = false
  }

  init(_ error: HTTPError) {
    message = error.message
    hint = error.hint
    isRefusedByGuard = error.code == .changeNotAllowed
    switch error.code {
    case .broken, .timedOut, .tooLarge, .cancelled: isOutcomeUnknown = true
    default: isOutcomeUnknown = false
    }
  }
}

/// The request of a step, with all variables replaced.
struct Message {
  let method: String
  let path: String
  let query: [(String, String)]
  var headers = HTTPHeaders()
  var body: [UInt8] = []
  /// The values that may name accounts it creates.
  var noted: [JSON] = []

  init(_ step: Step, _ expansion: Expansion) async throws {
    method = step.method
    path = expansion.plain(try expansion.expand(text: step.path))
    var query: [(String, String)] = []
    for entry in step.query.entries {
      query.append((entry.key, expansion.plain(try await expansion.expand(entry.value))))
    }
    self.query = query
    for entry in step.headers.entries {
      headers.set(entry.key, expansion.plain(try await expansion.expand(entry.value)))
    }
    if let raw = step.raw {
      let text = expansion.plain(try expansion.expand(text: raw))
      body = Array(text.utf8)
      noted = [.string(text)]
    } else if let form = step.form {
      let fields = try await expansion.expand(form)
      let pairs = fields.object?.entries.map { ($0.key, expansion.plain($0.value)) } ?? []
      body = Array(FormFields(pairs).encoded.utf8)
      noted = [fields]
      if headers["Content-Type"] == nil {
        headers.set("Content-Type", "application/x-www-form-urlencoded")
      }
    } else if let content = step.body {
      let value = try await expansion.expand(content)
      body = value.encodedBytes()
      noted = [value, .array(expansion.texts(in: content))]
      if headers["Content-Type"] == nil { headers.set("Content-Type", "application/json") }
    }
  }
}
