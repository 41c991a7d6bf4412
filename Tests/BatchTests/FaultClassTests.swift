@testable import Client
@testable import Batch
@testable import Emulator
@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Testing

/// What a backend answers, and what that means for a run.
@Suite(.timeLimit(.minutes(1))) struct FaultClassTests {
  private struct Canned: Transport {
    let result: Result<HTTPResponse, HTTPError>

    func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse { try result.get() }
  }

  private func error(_ result: Result<HTTPResponse, HTTPError>) async throws -> AdminError {
    let url = try #require(WebURL("http://127.0.0.1:1"))
    let admin = try Admin(
      target: Target(projectID: "demo", apiKey: Secret("x"), backend: .emulator(url)),
      serviceAccount: nil, transport: Canned(result: result), clock: SystemClock())
    do throws(AdminError) {
      try await admin.updateWire(uid: "ada", ["displayName": "Ada"])
    } catch {
      return error
    }
    throw Problem()
  }

  private struct Problem: Error {}

  struct Shape: Sendable {
    let status: Int
    let body: JSON
    var headers: HTTPHeaders = [:]
    let kind: FaultClass
    var isUnknown = false
  }

  private static func named(_ name: String) -> JSON {
    ["error": ["code": 400, "message": .string(name), "status": "INVALID_ARGUMENT"]]
  }

  private static func reason(_ status: Int, _ reason: String) -> JSON {
    [
      "error": [
        "code": .integer(Int64(status)), "message": "Quota exceeded for quota metric.",
        "errors": [["reason": .string(reason), "domain": "usageLimits"]],
      ]
    ]
  }

  private static let shapes: [Shape] = [
    Shape(status: 400, body: named("QUOTA_EXCEEDED"), kind: .throttled(after: nil)),
    Shape(
      status: 400, body: named("QUOTA_EXCEEDED : Exceeded quota for updating account information."),
      kind: .throttled(after: nil)),
    Shape(status: 400, body: named("TOO_MANY_ATTEMPTS_TRY_LATER"), kind: .throttled(after: nil)),
    Shape(
      status: 400, body: named("Exceeded quota for updating account information."),
      kind: .throttled(after: nil)),
    Shape(
      status: 429,
      body: ["error": ["code": 429, "message": "Slow down.", "status": "RESOURCE_EXHAUSTED"]],
      headers: ["Retry-After": "7"], kind: .throttled(after: .seconds(7))),
    Shape(
      status: 503, body: ["error": ["code": 503, "message": "Away.", "status": "UNAVAILABLE"]],
      headers: ["Retry-After": "3"], kind: .throttled(after: .seconds(3)), isUnknown: true),
    Shape(
      status: 503, body: "<html>", headers: ["Retry-After": "9"],
      kind: .throttled(after: .seconds(9)), isUnknown: true),
    Shape(
      status: 429, body: "<html>",
      headers: [
        "Retry-After": "Sun, 06 Nov 1994 08:50:07 GMT", "Date": "Sun, 06 Nov 1994 08:49:37 GMT",
      ], kind: .throttled(after: .seconds(30))),
    Shape(status: 403, body: reason(403, "rateLimitExceeded"), kind: .throttled(after: nil)),
    Shape(status: 403, body: reason(403, "dailyLimitExceeded"), kind: .run),
    Shape(status: 503, body: "<html>", kind: .retryable, isUnknown: true),
    Shape(
      status: 500, body: ["error": ["code": 500, "message": "INTERNAL_ERROR"]], kind: .retryable,
      isUnknown: true),
    Shape(status: 200, body: "<html>", kind: .retryable, isUnknown: true),
    Shape(
      status: 403,
      body: ["error": ["code": 403, "message": "No.", "status": "PERMISSION_DENIED"]], kind: .run),
    Shape(
      status: 401,
      body: ["error": ["code": 401, "message": "Who?", "status": "UNAUTHENTICATED"]], kind: .run),
    Shape(status: 404, body: "<html>", kind: .run),
    Shape(status: 400, body: named("CONFIGURATION_NOT_FOUND"), kind: .run),
    Shape(status: 400, body: named("TENANT_NOT_FOUND"), kind: .run),
    Shape(status: 400, body: named("USER_NOT_FOUND"), kind: .row),
    Shape(status: 400, body: named("FEDERATED_USER_ID_ALREADY_LINKED"), kind: .row),
    Shape(status: 400, body: named("SOMETHING_NEW"), kind: .row),
    Shape(status: 501, body: ["error": ["code": 501, "message": "NOT_IMPLEMENTED"]], kind: .row),
  ]

  @Test(arguments: shapes)
  func `each shape of an answer has its class`(_ shape: Shape) async throws {
    let url = try #require(WebURL("http://127.0.0.1:1"))
    let body = shape.body.string.map { Array($0.utf8) } ?? shape.body.encodedBytes()
    let error = try await error(
      .success(HTTPResponse(status: shape.status, headers: shape.headers, body: body, url: url)))
    #expect(FaultClass(error) == shape.kind, "\(shape.status) \(shape.body.encoded())")
    // What the backend itself answers with 501 is definite, whatever else the status says.
    if shape.status != 501 { #expect(error.isOutcomeUnknown == shape.isUnknown) }
  }

  @Test(arguments: [
    (HTTPError.Code.connect, false), (.resolve, false), (.tls, false), (.broken, true),
    (.timedOut, true),
  ])
  func `a connection that fails may work later`(_ code: HTTPError.Code, _ isUnknown: Bool)
    async throws
  {
    let error = try await error(.failure(HTTPError(code, "it fails", hint: "")))
    #expect(FaultClass(error) == .retryable)
    #expect(error.isOutcomeUnknown == isUnknown)
  }
}
