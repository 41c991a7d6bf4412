@testable import Client
@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Testing

@Suite("Keys that a signer publishes", .timeLimit(.minutes(1)))
struct PublishedKeyTests {
  private static let path = "www.googleapis.com" + Signer.certificates

  private func code(_ admin: Admin, _ token: Secret) async -> ErrorCode? {
    do {
      _ = try await admin.verifyIDToken(token)
      return nil
    } catch {
      return error.code
    }
  }

  @Test func `they are kept for as long as the signer says`() async throws {
    let signer = try Signer()
    let admin = try signer.admin()
    for _ in 1...3 { _ = try await admin.verifyIDToken(signer.idToken()) }
    #expect(signer.requests.count == 1)
    signer.clock.now += 599
    _ = try await admin.verifyIDToken(signer.idToken())
    #expect(signer.requests.count == 1)
    signer.clock.now += 1
    _ = try await admin.verifyIDToken(signer.idToken())
    #expect(signer.requests.count == 2)
    // A tenant's administrator shares them.
    let tenant = try admin.forTenant("red")
    #expect(await code(tenant, try signer.idToken()) == .tenantIDMismatch)
    #expect(signer.requests.count == 2)
  }

  @Test(arguments: [
    "no-store", "no-cache", "max-age=0", "private", "max-age=soon", "max-age=600, No-Store",
  ])
  func `they are asked for each time when they may not be kept`(cacheControl: String) async throws {
    let signer = try Signer()
    signer.cacheControl = cacheControl
    let admin = try signer.admin()
    for _ in 1...2 { _ = try await admin.verifyIDToken(signer.idToken()) }
    #expect(signer.requests.count == 2)
  }

  @Test func `a new key is found, and a withdrawn one counts no more`() async throws {
    let signer = try Signer()
    let admin = try signer.admin()
    let old = try signer.idToken()
    _ = try await admin.verifyIDToken(old)
    signer.shown = ["second"]
    // Until the keys are old, nobody knows that the first one is gone.
    _ = try await admin.verifyIDToken(old)
    #expect(signer.requests.count == 1)
    _ = try await admin.verifyIDToken(signer.idToken(by: "second"))
    #expect(signer.requests.count == 2)
    #expect(await code(admin, old) == .invalidIDToken)
  }

  @Test func `tokens that name keys of nobody's cannot keep the signer busy`() async throws {
    let signer = try Signer()
    let admin = try signer.admin()
    let strange = try signer.idToken(by: "stranger")
    for _ in 1...5 { #expect(await code(admin, strange) == .invalidIDToken) }
    #expect(signer.requests.count == 1)
    // Other tokens are verified meanwhile, without another request.
    #expect(await code(admin, try signer.idToken()) == nil)
    #expect(signer.requests.count == 1)
    signer.clock.now += 10
    signer.shown = ["first", "stranger"]
    #expect(await code(admin, strange) == nil)
    #expect(signer.requests.count == 2)
  }

  @MainActor @Test func `many tokens at once share one request`() async throws {
    let signer = try Signer()
    let admin = try signer.admin()
    let (permits, permit) = AsyncStream<Void>.makeStream()
    signer.pause = { for await _ in permits {} }
    let token = try signer.idToken()
    // All on one actor, as the tasks of one interpreter are.
    let tasks = (1...8).map { _ in
      Task.immediate { @MainActor in try await admin.verifyIDToken(token).uid }
    }
    permit.finish()
    for task in tasks { #expect(try await task.value == "ada") }
    #expect(signer.requests.count == 1)
  }

  @Test func `keys that cannot be had are no reason to believe a token`() async throws {
    let signer = try Signer()
    let admin = try signer.admin()
    let url = try #require(WebURL("https://www.googleapis.com/"))
    func answer(_ status: Int, _ body: String) -> Result<HTTPResponse, HTTPError> {
      .success(HTTPResponse(status: status, body: Array(body.utf8), url: url))
    }
    for (given, expected) in [
      (.failure(HTTPError(.connect, "nobody is there", hint: "wait")), ErrorCode.networkError),
      (answer(503, ""), .certificateFetchFailed), (answer(404, "{}"), .certificateFetchFailed),
      (answer(200, "<html>Log in to the hotel</html>"), .certificateFetchFailed),
      (answer(200, ""), .certificateFetchFailed), (answer(200, "{}"), .certificateFetchFailed),
      (answer(200, #"{"first":"-----BEGIN CERTIFICATE-----"}"#), .certificateFetchFailed),
    ] {
      signer.answer = given
      #expect(await code(admin, try signer.idToken()) == expected)
    }
    signer.answer = nil
    #expect(await code(admin, try signer.idToken()) == nil)
  }

  @Test func `an unsigned token counts on an emulator that signs nothing, and nowhere else`()
    async throws
  {
    let signer = try Signer()
    let unsigned = signer.token(header: ["alg": "none", "typ": "JWT"])
    #expect(await code(try signer.admin(), unsigned) == .invalidIDToken)
    #expect(signer.requests.isEmpty)
    // One that publishes keys signs its tokens.
    let emulated = try signer.admin(emulated: true)
    #expect(await code(emulated, unsigned) == .invalidIDToken)
    #expect(signer.requests == ["127.0.0.1/" + Self.path])
    #expect(await code(emulated, try signer.idToken()) == nil)

    let url = try #require(WebURL("http://127.0.0.1:9099/"))
    signer.answer = .success(HTTPResponse(status: 404, url: url))
    let lax = try signer.admin(emulated: true)
    #expect(await code(lax, unsigned) == nil)
    #expect(
      await code(lax, signer.token(header: ["alg": "none"], signature: [1])) == .invalidIDToken)
    #expect(
      await code(lax, signer.token(header: ["alg": "none"], ["aud": "other"])) == .invalidIDToken)
    let old = signer.token(header: ["alg": "none"], ["exp": .integer(Signer.now)])
    #expect(await code(lax, old) == .idTokenExpired)
    // Nobody can tell who signed this one.
    #expect(await code(lax, try signer.idToken()) == .invalidIDToken)
  }
}
