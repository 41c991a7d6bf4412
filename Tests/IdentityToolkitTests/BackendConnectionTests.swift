@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Testing

/// Answers that are not what a backend should send, and what becomes of the call.
@Suite(.timeLimit(.minutes(1))) struct BackendConnectionTests {
  /// Gives the answers in turn, the last one for ever, and keeps the waits instead of waiting.
  private final class Answers: Transport {
    struct Answer {
      var status = 200
      var body = ""
      var headers: HTTPHeaders = [:]
      var error: HTTPError?
    }

    private(set) var count = 0
    private(set) var pauses: [Duration] = []
    let answers: [Answer]
    var cancelsPauses = false

    init(_ answers: Answer...) { self.answers = answers }

    func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
      let answer = answers[min(count, answers.count - 1)]
      count += 1
      if let error = answer.error { throw error }
      return HTTPResponse(
        status: answer.status, headers: answer.headers, body: Array(answer.body.utf8),
        url: request.url)
    }

    func pause(for duration: Duration) async throws(HTTPError) {
      pauses.append(duration)
      if cancelsPauses { throw HTTPError(.cancelled, "cancelled", hint: "") }
    }
  }

  private static let lost = Answers.Answer(error: HTTPError(.broken, "it broke", hint: "look"))
  private static let good = Answers.Answer(body: #"{"kind":"x"}"#)

  private func client(_ answers: Answers) -> IdentityToolkitClient {
    IdentityToolkitClient(
      target: Target(projectID: "p", apiKey: Secret("the-web-key"), backend: .production),
      transport: answers)
  }

  private func failure(
    _ answers: Answers, _ endpoint: Endpoint = .signUp, _ body: JSONObject = [:]
  ) async -> BackendError? {
    do throws(BackendError) {
      _ = try await client(answers).call(endpoint, body)
      Issue.record("the call succeeded")
      return nil
    } catch {
      return error
    }
  }

  @Test(arguments: [
    (200, "", "is empty"), (200, "  \n", "is empty"), (204, "", "is empty"),
    (200, "<!DOCTYPE html><p>Sign in to the network", "is a web page instead of JSON"),
    (200, #"{"idToken":"secret-tok"#, "is JSON that ends too early"),
    (200, #"{"idToken" "secret-token"}"#, "is damaged JSON: expected a colon after the key"),
    (200, "OK", "is not JSON"), (200, #"["secret-token"]"#, "is not a JSON object"),
    (500, "{}", "has status 500 and no error"), (404, "Not Found", "is not JSON"),
    (403, "<html>Forbidden", "is a web page instead of JSON"), (302, "", "is empty"),
  ])
  func `an answer that is none of the API is an internal error in plain words`(
    _ status: Int, _ body: String, _ words: String
  ) async throws {
    let error = await failure(Answers(.init(status: status, body: body)))
    guard case .unexpected(status, let message, _)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(message.contains(words))
    #expect(!message.contains("secret"))
    #expect(error?.code == .internalError)
    #expect(error?.hint.contains("Identity Toolkit backend") == true)
  }

  @Test(arguments: [
    (429, ErrorCode.tooManyRequests), (502, .networkError), (503, .networkError),
    (504, .networkError),
  ])
  func `a busy backend is told as such, whatever the body`(
    _ status: Int, _ code: ErrorCode
  ) async throws {
    for body in [
      "", "<html>", "{}", #"{"error":{"code":1,"message":"Try later."}}"#,
      #"{"error":{"message":"SOME_NEW_NAME : words"}}"#,
    ] {
      let error = await failure(Answers(.init(status: status, body: body)))
      #expect(error?.code == code, "\(body)")
    }
  }

  @Test func `a known name counts more than the status`() async {
    for (name, status, code) in [
      ("QUOTA_EXCEEDED", 429, ErrorCode.quotaExceeded),
      ("RESOURCE_EXHAUSTED", 429, .quotaExceeded),
      ("TOO_MANY_ATTEMPTS_TRY_LATER", 429, .tooManyRequests),
      ("UNAVAILABLE", 503, .networkError), ("USER_DISABLED", 503, .userDisabled),
    ] {
      let body = #"{"error":{"message":"\#(name) : words"}}"#
      #expect(await failure(Answers(.init(status: status, body: body)))?.code == code)
    }
  }

  @Test(arguments: [
    (
      400, "INVALID_ARGUMENT", "API key expired. Please renew the API key.", "API_KEY_INVALID",
      ErrorCode.invalidAPIKey
    ),
    (
      400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", "API_KEY_INVALID",
      .invalidAPIKey
    ),
    (
      403, "PERMISSION_DENIED", "Requests from this iOS client application <empty> are blocked.",
      "API_KEY_IOS_APP_BLOCKED", .appNotAuthorized
    ),
    (
      403, "PERMISSION_DENIED", "Consumer 'api_key:the-web-key' has been suspended.",
      "CONSUMER_SUSPENDED", .insufficientPermission
    ),
    (
      401, "UNAUTHENTICATED", "Request had invalid authentication credentials.",
      "CREDENTIALS_MISSING",
      .insufficientPermission
    ),
  ])
  func `a key that was revoked or restricted is told by its kind, and never quoted`(
    _ status: Int, _ name: String, _ words: String, _ reason: String, _ code: ErrorCode
  ) async {
    let body: JSON = [
      "error": [
        "code": .integer(Int64(status)), "message": .string(words), "status": .string(name),
        "details": [
          [
            "@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": .string(reason),
            "metadata": ["consumer": "api_key:the-web-key"],
          ]
        ],
      ]
    ]
    let answers = Answers(
      .init(status: status, body: String(decoding: body.encodedBytes(), as: UTF8.self)))
    let error = await failure(answers)
    #expect(error?.code == code)
    #expect(!"\(String(reflecting: error))".contains("the-web-key"))
    #expect(answers.count == 1)
  }

  @Test(arguments: ["30", "Sun, 06 Nov 1994 08:50:07 GMT"])
  func `the wait that is asked for is told`(_ retryAfter: String) async {
    let headers: HTTPHeaders = [
      "Retry-After": retryAfter, "Date": "Sun, 06 Nov 1994 08:49:37 GMT",
    ]
    let bare = await failure(Answers(.init(status: 503, body: "<html>", headers: headers)))
    guard case .unexpected(503, let message, _)? = bare else {
      Issue.record("\(String(describing: bare))")
      return
    }
    #expect(message.hasSuffix("it asks to wait 30 s"))
    let body = #"{"error":{"message":"RESOURCE_EXHAUSTED"}}"#
    let named = await failure(Answers(.init(status: 429, body: body, headers: headers)))
    #expect(named?.hint.hasPrefix("the backend asks to wait 30 s; then: ") == true)
  }

  @Test func `a call that reads is sent again until it is answered`() async throws {
    let answers = Answers(Self.lost, .init(status: 503, body: "<html>"), Self.good)
    #expect(try await client(answers).call(.lookup)["kind"] == "x")
    #expect(answers.count == 3)
    #expect(answers.pauses.count == 2)
    #expect(answers.pauses[0] <= .milliseconds(500))
    #expect(answers.pauses[1] <= .seconds(1))
  }

  @Test func `after four tries the last failure is told`() async {
    let answers = Answers(Self.lost)
    guard case .transport(let error)? = await failure(answers, .lookup) else {
      Issue.record("no failure of the transport")
      return
    }
    #expect(error == Self.lost.error)
    #expect(answers.count == RetryPolicy.maximumTries)
  }

  @Test func `Retry-After is kept to, and not beyond patience`() async throws {
    let answers = Answers(
      .init(status: 503, headers: ["Retry-After": "3"]), Self.good)
    _ = try await client(answers).call(.getProjectConfig)
    #expect(answers.pauses.allSatisfy { $0 >= .seconds(3) && $0 < .seconds(4) })
    #expect(answers.pauses.count == 1)

    let impatient = Answers(.init(status: 503, headers: ["Retry-After": "3600"]), Self.good)
    _ = await failure(impatient, .lookup)
    #expect(impatient.count == 1)
  }

  @Test func `a cancelled wait ends the call`() async {
    let answers = Answers(Self.lost, Self.good)
    answers.cancelsPauses = true
    guard case .transport(let error)? = await failure(answers, .lookup) else {
      Issue.record("no failure of the transport")
      return
    }
    #expect(error.code == .cancelled)
    #expect(answers.count == 1)
  }

  private static let repeatable: Set<Endpoint> = [
    .getProjectConfig, .getRecaptchaParam, .getRecaptchaConfig, .getPasswordPolicy, .lookup,
    .createAuthUri, .resetPassword, .token,
  ]

  @Test(arguments: Endpoint.allCases)
  func `only calls that read or renew are sent twice`(_ endpoint: Endpoint) async {
    let answers = Answers(Self.lost, Self.good)
    if endpoint == .token {
      _ = try? await client(answers).refresh(token: Secret("R"))
    } else {
      _ = try? await client(answers).call(endpoint, ["identifier": "a@b.example"])
    }
    #expect(answers.count == (Self.repeatable.contains(endpoint) ? 2 : 1))
  }

  @Test func `beginning a sign-in and setting a password are not repeated`() async {
    let calls: [(Endpoint, JSONObject)] = [
      (.createAuthUri, ["providerId": "google.com"]),
      (.resetPassword, ["oobCode": "c", "newPassword": "correct horse"]),
    ]
    for (endpoint, body) in calls {
      let answers = Answers(Self.lost, Self.good)
      _ = await failure(answers, endpoint, body)
      #expect(answers.count == 1)
    }
  }

  @Test func `an administrator's call is repeated when it reads`() async throws {
    let url = try #require(WebURL("https://identitytoolkit.googleapis.com/v1/projects/p"))
    for (method, isRepeatable, count) in [("GET", false, 2), ("POST", true, 2), ("POST", false, 1)]
    {
      let answers = Answers(Self.lost, Self.good)
      _ = try? await BackendConnection(transport: answers).send(
        HTTPRequest(method: method, url: url), isRepeatable: isRepeatable, redaction: Redaction())
      #expect(answers.count == count)
    }
  }
}
