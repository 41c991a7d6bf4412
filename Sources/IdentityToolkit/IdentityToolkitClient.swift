public import HTTP
public import System

/// Calls the endpoints of one project over a transport.
///
/// It has the isolation of its transport and is not shared between threads.
public final class IdentityToolkitClient {
  /// The target project.
  public let target: Target

  /// The language of e-mails and SMS that the backend sends, such as `fr`; nil for the project's own.
  public var languageCode: String?

  private let transport: any Transport
  private let connection: BackendConnection
  private var urls: [Endpoint: WebURL] = [:]

  /// Creates a client for a target.
  public init(target: Target, transport: any Transport) {
    self.target = target
    self.transport = transport
    connection = BackendConnection(transport: transport)
  }

  /// Calls an endpoint with a JSON body, or with query parameters, and returns the response's body.
  ///
  /// A response with status 200 is returned even when its members report a failure.
  public func call(
    _ endpoint: Endpoint, _ body: JSONObject = [:], query: [(String, String)] = []
  ) async throws(BackendError) -> JSONObject {
    var request = request(for: endpoint)
    if !query.isEmpty { request.url = target.url(for: endpoint, query: query) }
    if endpoint.method == "POST" {
      request.headers.set("Content-Type", "application/json")
      request.body = JSON.object(body).encodedBytes()
    }
    return try await connection.send(
      request, isRepeatable: endpoint.isRepeatable(body), redaction: Redaction(body: body, and: key)
    )
  }

  /// Exchanges a refresh token for new tokens.
  public func refresh(token: Secret) async throws(BackendError) -> RefreshedSession {
    let form = FormFields([("grant_type", "refresh_token"), ("refresh_token", token.reveal())])
    var request = request(for: .token)
    request.headers.set("Content-Type", "application/x-www-form-urlencoded")
    request.body = Array(form.encoded.utf8)
    let answer = try await connection.send(
      request, isRepeatable: Endpoint.token.isRepeatable([:]),
      redaction: Redaction(secrets: [token.reveal()] + key))
    // This endpoint's access token is the ID token; `id_token` repeats it.
    guard let idToken = answer["access_token"]?.string ?? answer["id_token"]?.string,
      !idToken.isEmpty
    else { throw .unexpected(status: 200, message: "the token endpoint sent no access token") }
    return RefreshedSession(
      idToken: Secret(idToken), refreshToken: answer["refresh_token"]?.string.map(Secret.init),
      expiresIn: answer["expires_in"]?.wholeNumber, userID: answer["user_id"]?.string)
  }

  /// Detects which emulator the target is; nil for a real project or an unknown program.
  public func emulatorKind() async -> EmulatorKind? {
    guard case .emulator(let url) = target.backend else { return nil }
    return try? await EmulatorKind.detect(at: url, over: transport)
  }

  /// The API key of a real project, which Google quotes when it is suspended; not secret for an emulator.
  private var key: [String] { target.isEmulated ? [] : [target.apiKey.reveal()] }

  private func request(for endpoint: Endpoint) -> HTTPRequest {
    let url = urls[endpoint] ?? target.url(for: endpoint)
    urls[endpoint] = url
    var request = HTTPRequest(method: endpoint.method, url: url, headers: target.headers)
    if let languageCode { request.headers.set("X-Firebase-Locale", languageCode) }
    return request
  }
}

/// Sends the requests of clients and administrators to a backend, with retries, and parses refusals.
public struct BackendConnection {
  private let transport: any Transport

  /// Creates a connection over a transport.
  public init(transport: any Transport) { self.transport = transport }

  /// Sends a request and returns its response's body, which is a JSON object.
  ///
  /// The redaction removes the request's secrets from refusals. A repeatable request, which
  /// includes every GET, is sent again when its response was lost or the backend is busy.
  public func send(
    _ request: HTTPRequest, isRepeatable: Bool = false,
    redaction: @autoclosure () -> Redaction
  ) async throws(BackendError) -> JSONObject {
    var retries = RetryPolicy(isRepeatable: isRepeatable || request.method == "GET")
    let began = ContinuousClock.now
    while true {
      let outcome: Result<HTTPResponse, HTTPError>
      let failure: RetryPolicy.Failure?
      do throws(HTTPError) {
        let response = try await transport.send(request)
        outcome = .success(response)
        failure = RetryPolicy.Failure(response)
      } catch {
        outcome = .failure(error)
        failure = RetryPolicy.Failure(error)
      }
      guard let failure,
        case .wait(let pause) = retries.next(
          after: failure, elapsed: began.duration(to: .now), chance: .random(in: 0..<1))
      else { return try read(outcome, redaction()) }
      do throws(HTTPError) { try await transport.pause(for: pause) } catch {
        throw .transport(error)
      }
    }
  }

  private func read(
    _ outcome: Result<HTTPResponse, HTTPError>, _ redaction: @autoclosure () -> Redaction
  ) throws(BackendError) -> JSONObject {
    let response: HTTPResponse
    do throws(HTTPError) { response = try outcome.get() } catch { throw .transport(error) }
    let body: JSON
    do throws(JSONError) { body = try response.json() } catch {
      throw response.unexpected(response.strangeness(error))
    }
    if (200..<300).contains(response.status) {
      if let object = body.object { return object }
      throw response.unexpected(response.strangeness(nil))
    }
    guard var refusal = Refusal(status: response.status, body: body) else {
      throw response.unexpected(response.lackOfError)
    }
    refusal.askedWait = response.askedWait
    refusal.retryAfter = response.headers.retryAfter()
    throw .refused(refusal.cleaned(by: redaction()))
  }
}

extension Refusal {
  /// Returns a copy without the request's secrets.
  ///
  /// The response of a blocking function is JSON inside `detail`: it replaces the details, and its
  /// message replaces `detail`.
  func cleaned(by redaction: Redaction) -> Refusal {
    let function = functionError.map(redaction.clean)
    let words = (function?["error"]?["message"] ?? function?["message"])?.string
    var copy = Refusal(
      error: error, rawName: redaction.clean(rawName),
      detail: words ?? detail.map(redaction.clean), status: status,
      reasons: reasons.map(redaction.clean),
      canonicalStatus: canonicalStatus.map(redaction.clean),
      details: function.map { [$0] } ?? details.map(redaction.clean), hasName: hasName,
      askedWait: askedWait)
    copy.retryAfter = retryAfter
    return copy
  }
}

extension HTTPResponse {
  /// The error for a response that is not from this API.
  fileprivate func unexpected(_ message: String) -> BackendError {
    .unexpected(status: status, message: message, retryAfter: headers.retryAfter())
  }

  /// Describes what is wrong with a response that should be a JSON object, without quoting it.
  func strangeness(_ problem: JSONError?) -> String {
    let start = body.first { $0 > 0x20 }
    let isPage =
      start == UInt8(ascii: "<")
      || headers["Content-Type"]?.lowercased().hasPrefix("text/html") == true
    let what: String
    if start == nil {
      what = "is empty"
    } else if isPage {
      what = "is a web page instead of JSON"
    } else if let problem, start == UInt8(ascii: "{") {
      what =
        problem.offset >= body.count
        ? "is JSON that ends too early" : "is damaged JSON: \(problem)"
    } else {
      what = problem == nil ? "is not a JSON object" : "is not JSON"
    }
    return withWait("the response, with status \(status), \(what)")
  }

  /// The message for an error response whose JSON has no error.
  var lackOfError: String { withWait("the response has status \(status) and no error") }

  private func withWait(_ words: String) -> String {
    askedWait.map { "\(words); it asks to wait \($0)" } ?? words
  }

  /// The Retry-After time as text.
  var askedWait: String? {
    headers.retryAfter().map { "\($0.components.seconds) s" }
  }
}

/// The tokens that the token endpoint returned for a refresh token.
public struct RefreshedSession: Sendable {
  /// The new ID token.
  public let idToken: Secret

  /// The refresh token to use from now on.
  public let refreshToken: Secret?

  /// The ID token's lifetime in seconds, if the response has it.
  public let expiresIn: Int64?

  let userID: String?
}

extension JSON {
  /// A whole number, sent as a number or as text like all 64-bit fields.
  public var wholeNumber: Int64? {
    if let integer { return integer }
    guard let string else { return nil }
    return Int64(string)
  }
}

/// Decides whether and when to retry a failed call: exponential backoff with full jitter.
///
/// Time and random numbers are parameters, so that each decision can be tested. One value serves one call.
public struct RetryPolicy: Sendable {
  /// A failure that a retry may overcome.
  public enum Failure: Sendable, Equatable {
    /// The connection broke, or the response did not arrive in time.
    case lost
    /// The backend is busy or unavailable, possibly with a Retry-After.
    case busy(retryAfter: Duration?)

    /// Classifies an error; nil when a retry would fail the same way.
    ///
    /// A refused connection, an unknown host and a bad certificate do not change soon: reporting
    /// them at once is more useful than waiting.
    public init?(_ error: HTTPError) {
      switch error.code {
      case .broken, .timedOut: self = .lost
      default: return nil
      }
    }

    /// Classifies a response; nil when it is a result of the call, which includes refusals.
    public init?(_ response: HTTPResponse) {
      guard ErrorCode(ofBusyStatus: response.status) != nil else { return nil }
      self = .busy(retryAfter: response.headers.retryAfter())
    }
  }

  /// What to do after a failure.
  public enum Action: Sendable, Equatable {
    /// Wait, then send the same request again.
    case wait(Duration)
    case giveUp
  }

  /// The maximum number of attempts, including the first.
  static let maximumTries = 4

  /// No attempt begins later than this after the first one.
  static let patience = Duration.seconds(30)

  /// The maximum wait before the second attempt; it doubles with each further one.
  static let firstWait = Duration.milliseconds(500)

  private let isRepeatable: Bool
  private var tries = 1

  /// Creates a policy; only repeatable calls are retried.
  public init(isRepeatable: Bool) { self.isRepeatable = isRepeatable }

  /// Decides what to do after a failed attempt.
  ///
  /// - Parameters:
  ///   - failure: How the attempt failed.
  ///   - elapsed: The time since the first attempt began.
  ///   - chance: A new random number from 0 to below 1.
  public mutating func next(
    after failure: Failure, elapsed: Duration, chance: Double
  ) -> Action {
    guard isRepeatable, tries < Self.maximumTries else { return .giveUp }
    // Full jitter, so that callers that failed together do not retry together.
    var wait = Self.firstWait * (1 << (tries - 1)) * chance
    if case .busy(let asked?) = failure { wait += asked }
    guard elapsed + wait <= Self.patience else { return .giveUp }
    tries += 1
    return .wait(wait)
  }
}
