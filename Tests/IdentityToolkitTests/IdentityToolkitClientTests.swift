@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Testing

@Suite(.timeLimit(.minutes(1))) struct IdentityToolkitClientTests {
  /// A transport that gives one answer to everything.
  private final class OneAnswer: Transport {
    var requests: [HTTPRequest] = []
    let answer: Result<(status: Int, body: String), HTTPError>

    init(_ status: Int, _ body: String) { answer = .success((status, body)) }
    init(_ error: HTTPError) { answer = .failure(error) }

    func pause(for duration: Duration) async throws(HTTPError) {}

    func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
      requests.append(request)
      let answer = try answer.get()
      return HTTPResponse(status: answer.status, body: Array(answer.body.utf8), url: request.url)
    }
  }

  private func client(_ transport: OneAnswer, headers: HTTPHeaders = [:]) -> IdentityToolkitClient {
    IdentityToolkitClient(
      target: Target(
        projectID: "p", apiKey: Secret("K"), backend: .production, headers: headers),
      transport: transport)
  }

  @Test func `a call posts JSON with the target's headers and the language`() async throws {
    let transport = OneAnswer(200, #"{"kind":"x"}"#)
    let client = client(transport, headers: ["X-Ios-Bundle-Identifier": "com.example"])
    client.languageCode = "fr"
    #expect(try await client.call(.signUp, ["email": "a@x.example"])["kind"] == "x")
    let request = try #require(transport.requests.first)
    #expect(request.method == "POST")
    #expect(request.headers["content-type"] == "application/json")
    #expect(request.headers["x-firebase-locale"] == "fr")
    #expect(request.headers["x-ios-bundle-identifier"] == "com.example")
    #expect(String(decoding: request.body, as: UTF8.self) == #"{"email":"a@x.example"}"#)
  }

  @Test func `a project's configuration is read with GET and no body`() async throws {
    let transport = OneAnswer(200, #"{"projectId":"p"}"#)
    _ = try await client(transport).call(.getProjectConfig)
    #expect(transport.requests.first?.method == "GET")
    #expect(transport.requests.first?.body == [])
  }

  @Test func `a refresh posts a form and reads snake case`() async throws {
    let transport = OneAnswer(
      200,
      #"""
      {"access_token":"J","expires_in":"3600","token_type":"Bearer","refresh_token":"R2",
       "id_token":"J","user_id":"U1","project_id":"123"}
      """#)
    let session = try await client(transport).refresh(token: Secret("R+/="))
    #expect(session.idToken.reveal() == "J")
    #expect(session.refreshToken?.reveal() == "R2")
    #expect(session.expiresIn == 3600)
    #expect(session.userID == "U1")
    let request = try #require(transport.requests.first)
    #expect(request.url.path == "/v1/token")
    #expect(
      String(decoding: request.body, as: UTF8.self)
        == "grant_type=refresh_token&refresh_token=R%2B%2F%3D")
  }

  @Test func `a refusal that quotes the request is masked`() async throws {
    let transport = OneAnswer(
      400,
      #"{"error":{"message":"INVALID_IDP_RESPONSE : Unable to parse id_token: secret-token ((x))"}}"#
    )
    let body: JSONObject = ["postBody": "providerId=oidc.x&id_token=secret-token"]
    let error = await #expect(throws: BackendError.self) {
      try await client(transport).call(.signInWithIdp, body)
    }
    guard case .refused(let refusal) = error else { throw Unexpected() }
    #expect(refusal.error == .invalidIdPResponse)
    #expect(refusal.detail == "Unable to parse id_token: [secret] ((x))")
  }

  @Test func `a blocking function's message becomes the refusal's words`() async throws {
    let transport = OneAnswer(
      400,
      #"""
      {"error":{"message":"BLOCKING_FUNCTION_ERROR_RESPONSE : it said {\"error\":{\"message\":\"No\",\"status\":\"X\"}}"}}
      """#)
    let error = await #expect(throws: BackendError.self) {
      try await client(transport).call(.signUp)
    }
    guard case .refused(let refusal) = error else { throw Unexpected() }
    #expect(refusal.detail == "No")
    #expect(refusal.details == [["error": ["message": "No", "status": "X"]]])
  }

  @Test(arguments: [(200, "not JSON"), (200, "[]"), (502, "<html>"), (500, "{}"), (204, "")])
  func `an answer of another kind is unexpected`(_ status: Int, _ body: String) async throws {
    let error = await #expect(throws: BackendError.self) {
      try await client(OneAnswer(status, body)).call(.signUp)
    }
    guard case .unexpected(let seen, _, _) = error else { throw Unexpected() }
    #expect(seen == status)
  }

  @Test func `a broken connection keeps the transport's words`() async throws {
    let cause = HTTPError(.connect, "nothing listens on h:1", hint: "start it")
    let error = await #expect(throws: BackendError.self) {
      try await client(OneAnswer(cause)).call(.signUp)
    }
    guard case .transport(let seen) = error else { throw Unexpected() }
    #expect(seen == cause)
  }

  private struct Unexpected: Error {}
}
