@testable import System
@testable import HTTP
import Synchronization

@testable import SignIn

/// The driver's side of a test: a loop of its own with a client, and servers to talk to.
actor Browser {
  nonisolated let loop: EventLoop
  private var client: HTTPClient?
  private var servers: [HTTPServer] = []
  /// The browser session of sign-ins that run at once.
  private var shared: FormDriver?
  /// A session that two tasks of a test share.
  var opened: BrowserSession?

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init() throws {
    loop = try EventLoop(name: "browser")
    try loop.start()
  }

  deinit { loop.stop() }

  private var transport: HTTPClient {
    if let client { return client }
    let fresh = HTTPClient(loop: loop)
    client = fresh
    return fresh
  }

  /// Serves `answer` on a free port and returns the origin.
  func serve(_ answer: @escaping @Sendable (HTTPRequest) -> ServerResponse) throws -> String {
    try serve(answering: { .now(answer($0)) })
  }

  /// Serves answers that may take their time.
  func serve(answering answer: @escaping @Sendable (HTTPRequest) -> Answer) throws -> String {
    let server = try HTTPServer(loop: loop) { answer($0) }
    servers.append(server)
    return "http://127.0.0.1:\(server.port)"
  }

  /// One sign-in in a browser session of its own.
  func drive(
    _ answers: SignInAnswers, from start: String, until redirect: String = redirectURI,
    limits: FormLimits = FormLimits(), keeping trace: SignInTrace? = nil
  ) async throws -> SignInArrival {
    let driver = FormDriver(transport: transport, answers: answers, limits: limits)
    guard let start = WebURL(start), let redirect = WebURL(redirect) else { throw BadAddress() }
    return try await driver.drive(
      from: start, until: redirect, keeping: trace?.begin("idp.example"))
  }

  /// Several sign-ins one after the other in the same browser session.
  func drive(
    _ answers: SignInAnswers, through starts: [String], until redirect: String = redirectURI
  ) async throws -> [SignInArrival] {
    let driver = FormDriver(transport: transport, answers: answers)
    var arrivals: [SignInArrival] = []
    for start in starts {
      guard let start = WebURL(start), let redirect = WebURL(redirect) else { throw BadAddress() }
      arrivals.append(try await driver.drive(from: start, until: redirect))
    }
    return arrivals
  }

  /// One of several sign-ins that run at once in the same browser session.
  func join(
    _ answers: SignInAnswers, from start: String, keeping trace: SignInTrace
  ) async throws -> SignInArrival {
    let driver = shared ?? FormDriver(transport: transport, answers: answers)
    shared = driver
    guard let start = WebURL(start), let redirect = WebURL(redirectURI) else { throw BadAddress() }
    return try await driver.drive(
      from: start, until: redirect, keeping: trace.begin(start.fields["who"] ?? ""))
  }

  /// How a drive fails.
  func failure(
    _ answers: SignInAnswers, from start: String, until redirect: String = redirectURI,
    limits: FormLimits = FormLimits(), keeping trace: SignInTrace? = nil
  ) async throws -> FormDriverError? {
    do {
      _ = try await drive(answers, from: start, until: redirect, limits: limits, keeping: trace)
      return nil
    } catch let error as FormDriverError {
      return error
    }
  }

  func send(
    _ method: String = "GET", _ address: String, headers: HTTPHeaders = [:], form: FormFields? = nil
  ) async throws -> HTTPResponse {
    guard let url = WebURL(address) else { throw BadAddress() }
    var request = HTTPRequest(method: method, url: url, headers: headers)
    if let form { request = .post(url, form: form, headers: headers) }
    return try await transport.send(request)
  }

  struct BadAddress: Error {}
}

/// A redirect address nobody listens at: the driver must not go there.
let redirectURI = "http://127.0.0.1:9/__/auth/handler"

/// What servers of a test were asked, in order.
final class Log: Sendable {
  private let lines = Mutex<[String]>([])

  func note(_ line: String) { lines.withLock { $0.append(line) } }

  var all: [String] { lines.withLock { $0 } }
}

func html(_ text: String, status: Int = 200, headers: HTTPHeaders = [:]) -> ServerResponse {
  ServerResponse(status: status, text: text, type: "text/html; charset=utf-8", headers: headers)
}

func redirect(_ address: String, status: Int = 302, headers: HTTPHeaders = [:]) -> ServerResponse {
  var response = ServerResponse(status: status, headers: headers)
  response.headers.set("Location", address)
  return response
}
