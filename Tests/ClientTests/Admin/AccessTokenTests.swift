@testable import Client
@testable import System
@testable import HTTP
@testable import IdentityToolkit
@testable import OIDC
import Synchronization
import Testing

/// The exchange of a service account's signature for an access token (RFC 7523).
@MainActor @Suite(.timeLimit(.minutes(1))) struct AccessTokenTests {
  private static let key = Result { try SigningKey.generate(keyID: "key-1") }

  private let google: Google
  private let transport: GoogleTransport
  private let clock = SetClock()

  init() throws {
    google = Google(try Self.key.get())
    transport = GoogleTransport(google)
  }

  private func admin(tenantID: String? = nil, _ changes: JSONObject = [:]) throws -> Admin {
    try Admin(
      target: Target(projectID: "demo-admin", apiKey: Secret("unused"), backend: .production),
      serviceAccount: ServiceAccount(json: google.keyFile(changes)), tenantID: tenantID,
      transport: transport, clock: clock)
  }

  private func failure(_ admin: Admin) async -> AdminError? {
    do throws(AdminError) {
      _ = try await admin.getUser("ada")
      Issue.record("the call succeeded")
      return nil
    } catch {
      return error
    }
  }

  private var exchanges: Int { google.state.withLock { $0.exchanges } }
  private var calls: [HTTPRequest] { google.state.withLock { $0.calls } }

  @Test func `a signed request over a real connection gives the token that calls carry`()
    async throws
  {
    let google = google
    let loop = try EventLoop(name: "google")
    try loop.start()
    let file = google.keyFile()
    try await LoopActor(loop).run { (actor: isolated LoopActor) async throws in
      let server = try HTTPServer(loop: loop) { .now(google.answer($0)) }
      defer { server.stop() }
      struct Mapped: Transport {
        let client: HTTPClient
        let origin: String
        func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
          var inner = request
          inner.url = try mapped(request.url, to: origin)
          return try await client.send(inner)
        }
      }
      let admin = try Admin(
        target: Target(projectID: "demo-admin", apiKey: Secret("unused"), backend: .production),
        serviceAccount: ServiceAccount(json: file), tenantID: "t-1",
        transport: Mapped(
          client: HTTPClient(loop: loop), origin: "http://127.0.0.1:\(server.port)"),
        clock: SetClock())
      #expect(try await admin.getUser("ada").uid == "ada")
      #expect(try await admin.getUser(email: "ada@example.com").uid == "ada")
    }
    loop.stop()
    loop.join()
    #expect(exchanges == 1)
    let call = try #require(calls.first)
    #expect(
      call.url.path
        == "/identitytoolkit.googleapis.com/v1/projects/demo-admin/tenants/t-1/accounts:lookup")
    // No key: the token alone says who asks.
    #expect(call.url.query == nil)
    #expect(call.headers["Authorization"] == "Bearer ya29.token-1")
    #expect(try call.json() == ["localId": ["ada"]])
  }

  @Test func `a token is kept until five minutes before its end`() async throws {
    let admin = try admin()
    _ = try await admin.getUser("ada")
    clock.now += 3298
    google.state.withLock { $0.now += 3298 }
    _ = try await admin.getUser("ada")
    #expect(exchanges == 1)
    clock.now += 1
    _ = try await admin.getUser("ada")
    #expect(exchanges == 2)
  }

  @Test func `callers at the same time share one exchange`() async throws {
    let box = Box(admin: try admin())
    transport.holdsExchanges = true
    let tasks = (0..<5).map { _ in
      Task.immediate { @MainActor in try await box.admin.getUser("ada").uid }
    }
    #expect(transport.heldCount == 1)
    transport.release()
    for task in tasks { #expect(try await task.value == "ada") }
    #expect(exchanges == 1)
    #expect(calls.count == 5)
  }

  @Test func `when the one who asks is cancelled, the others do not fail for it`() async throws {
    let box = Box(admin: try admin())
    transport.holdsExchanges = true
    let first = Task.immediate { @MainActor in try await box.admin.getUser("ada").uid }
    #expect(transport.heldCount == 1)
    let second = Task.immediate { @MainActor in try await box.admin.getUser("ada").uid }
    first.cancel()
    transport.release()
    while transport.heldCount == 0 { await Task.yield() }
    transport.release()
    await #expect(throws: AdminError.self) { try await first.value }
    #expect(try await second.value == "ada")
  }

  private struct Box {
    let admin: Admin
  }

  @Test func `a token that is refused is dropped for another one, once`() async throws {
    let admin = try admin()
    _ = try await admin.getUser("ada")
    google.state.withLock { $0.tokens = [] }
    #expect(try await admin.getUser("ada").uid == "ada")
    #expect(exchanges == 2)
    // A key that is revoked gives no good token any more: one more try, and then the truth.
    google.state.withLock {
      $0.answer = { _ in ServerResponse(status: 401, json: Google.unauthenticated) }
    }
    let error = try #require(await failure(admin))
    #expect(exchanges == 3)
    #expect(error.code == .insufficientPermission)
    #expect(error.hint.contains("revoked"))
    #expect(error.serverName == "UNAUTHENTICATED")
  }

  @Test func `what an account may not do says what it lacks`() async throws {
    func answer(_ body: JSON) {
      google.state.withLock { $0.answer = { _ in ServerResponse(status: 403, json: body) } }
    }
    answer(["error": ["code": 403, "status": "PERMISSION_DENIED", "message": "Caller lacks it."]])
    var error = try #require(await failure(try admin()))
    #expect(error.code == .insufficientPermission)
    #expect(error.hint.contains("Firebase Authentication Admin"))
    answer([
      "error": [
        "code": 403, "status": "PERMISSION_DENIED", "message": "API has not been used.",
        "details": [
          ["@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "SERVICE_DISABLED"]
        ],
      ]
    ])
    error = try #require(await failure(try admin()))
    #expect(error.hint.contains("enable the Identity Toolkit API"))
    #expect(exchanges == 2)
  }

  @Test func `the key of another project is refused before anything is sent`() throws {
    let error = try #require(throws: AdminError.self) { try admin(["project_id": "other"]) }
    #expect(error.code == .invalidServiceAccount)
    #expect(error.message.contains("of the project other, and the target is demo-admin"))
    #expect(error.hint.contains("use a key of demo-admin"))
    #expect(exchanges == 0)
  }

  @Test func `a clock that is wrong is named as such`() async throws {
    clock.now += 4000
    let error = try #require(await failure(try admin()))
    #expect(error.code == .invalidServiceAccount)
    #expect(error.serverName == "invalid_grant")
    #expect(error.message.contains("reasonable timeframe"))
    #expect(error.hint.contains("clock"))
    #expect(calls.isEmpty)
  }

  @Test(arguments: [
    ("invalid_grant", "Invalid JWT Signature.", "make a new key"),
    ("invalid_grant", "Invalid grant: account not found", "was deleted"),
    ("invalid_grant", "Invalid grant: account disabled", "switched off"),
    ("disabled_client", "The OAuth client was disabled.", "switched off"),
    ("unauthorized_client", "Client is unauthorized.", "may not have these scopes"),
    ("invalid_client", "", "exist"),
  ])
  func `a refused exchange says what to do`(
    _ name: String, _ words: String, _ advice: String
  ) async throws {
    google.state.withLock {
      $0.refusal = (
        name == "invalid_grant" ? 400 : 401,
        ["error": .string(name), "error_description": .string(words)]
      )
    }
    let error = try #require(await failure(try admin()))
    #expect(error.code == .invalidServiceAccount)
    #expect(error.serverName == name)
    #expect(error.hint.contains(advice))
    #expect(error.message.contains(Google.email))
    #expect(calls.isEmpty)
    // The next call tries again.
    google.state.withLock { $0.refusal = nil }
    #expect(try await admin().getUser("ada").uid == "ada")
  }

  @Test func `a key of another owner gets no token, and no error shows what was signed`()
    async throws
  {
    let other = try SigningKey.generate(keyID: "key-1")
    let error = try #require(
      await failure(try admin(["private_key": .string(other.privatePEM.reveal())])))
    #expect(error.hint.contains("make a new key"))
    #expect(!"\(error)".contains("eyJ"))
  }

  @Test func `a token endpoint that is busy is asked again, and one that is none is named`()
    async throws
  {
    google.state.withLock { $0.refusal = (503, ["error": "backendError"]) }
    let busy = try #require(await failure(try admin()))
    #expect(transport.pauses.count == 3)
    #expect(exchanges == 4)
    #expect(busy.code == .networkError)
    google.state.withLock { $0.refusal = (200, ["kind": "something"]) }
    let strange = try #require(await failure(try admin()))
    #expect(strange.code == .invalidServiceAccount)
    #expect(strange.hint.contains("token_uri"))
    google.state.withLock { $0.refusal = (200, ["access_token": "", "expires_in": 5]) }
    #expect(try #require(await failure(try admin())).code == .invalidServiceAccount)
    // The fault is not the key's when a front end apologizes.
    google.state.withLock {
      $0.page = ServerResponse(status: 502, body: Array("<html>Server Error</html>".utf8))
    }
    #expect(try #require(await failure(try admin())).code == .networkError)
    google.state.withLock { $0.page?.status = 404 }
    #expect(try #require(await failure(try admin())).code == .invalidServiceAccount)
  }

  @Test func `reads are sent again when the backend is busy, writes never`() async throws {
    google.state.withLock {
      $0.answer = { _ in
        ServerResponse(
          status: 503, json: ["error": ["code": 503, "message": "", "status": "UNAVAILABLE"]])
      }
    }
    let admin = try admin()
    _ = await failure(admin)
    #expect(calls.count == RetryPolicy.maximumTries)
    google.state.withLock { $0.calls = [] }
    await #expect(throws: AdminError.self) { try await admin.deleteUser("ada") }
    #expect(calls.count == 1)
    google.state.withLock { $0.calls = [] }
    let list = try admin.listUsers()
    await #expect(throws: AdminError.self) { try await list.next() }
    #expect(calls.count == RetryPolicy.maximumTries)
  }

  @Test func `no error shows what a request kept secret`() async throws {
    google.state.withLock {
      $0.answer = { request in
        let body = String(decoding: request.body, as: UTF8.self)
        let token = request.headers["Authorization"] ?? ""
        return ServerResponse(
          status: 400,
          json: [
            "error": ["code": 400, "message": .string("INVALID_PASSWORD : \(token) in \(body)")]
          ])
      }
    }
    let admin = try admin()
    let user = try NewUser(["email": "a@b.example", "password": "correct horse"])
    let row = try ImportRow([
      "uid": "ada", "passwordHash": "c2VjcmV0LWhhc2g=", "passwordSalt": "c2VjcmV0LXNhbHQ=",
    ])
    var options = ImportOptions()
    options.hash = try PasswordHashKind(["algorithm": "PBKDF_SHA1", "rounds": 1])
    func check(_ error: AdminError) {
      #expect(error.message.contains("[secret]"))
      for secret in ["correct horse", "c2VjcmV0", "ya29"] {
        #expect(!"\(error)".contains(secret), "\(error)")
      }
    }
    do throws(AdminError) {
      _ = try await admin.createUser(user)
      Issue.record("the account was made")
    } catch {
      check(error)
    }
    do throws(AdminError) {
      _ = try await admin.importUsers([.success(row)], options)
      Issue.record("the account was imported")
    } catch {
      check(error)
    }
  }

  @Test(arguments: [3, -1, Int64.max, Int64.min])
  func `a refused row that was not sent is not lost`(_ index: Int64) async throws {
    google.state.withLock {
      $0.answer = { _ in ServerResponse(json: ["errors": [["index": .integer(index)]]]) }
    }
    let admin = try admin()
    do throws(AdminError) {
      _ = try await admin.deleteUsers(["a", "b", "c"])
      Issue.record("the batch went on")
    } catch {
      #expect(error.code == .internalError)
      #expect(error.batch?.uncertain == 0..<3)
      #expect(error.batch?.result.successCount == 0)
    }
  }

  @Test func `batch deletions keep to one a second`() async throws {
    google.state.withLock { $0.answer = { _ in ServerResponse(json: [:]) } }
    let result = try await admin().deleteUsers((1...2001).map { "u\($0)" })
    #expect(result.successCount == 2001)
    #expect(calls.count == 3)
    #expect(transport.pauses == [.seconds(1), .seconds(1)])
    #expect(try calls[2].json() == ["localIds": ["u2001"], "force": true])
  }

  @Test func `a page that comes again and again ends with an error`() async throws {
    google.state.withLock {
      $0.answer = { _ in ServerResponse(json: ["nextPageToken": "same"]) }
    }
    let list = try admin().listUsers()
    await #expect(throws: AdminError.self) { try await list.next() }
    #expect(calls.count == 2)
  }
}
