@testable import Client
@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Testing

@MainActor @Suite(.timeLimit(.minutes(1))) struct SessionTests {
  let setup = Recorded.Setup()
  var backend: RecordedBackend { setup.backend }

  private func refreshed(_ uid: String = "U2") -> RecordedBackend.Answer {
    .ok([
      "access_token": .string(Recorded.token(uid)), "expires_in": "3600", "user_id": "U1",
      "refresh_token": "refresh-token-2", "token_type": "Bearer",
    ])
  }

  @Test func `a token is renewed five minutes before it runs out`() async throws {
    let user = try await setup.signIn()
    setup.clock.now += 3600 - 301
    _ = try await user.getIDToken()
    #expect(backend.calls(of: .token).isEmpty)
    setup.clock.now += 1
    backend.queue(.token, refreshed())
    #expect(try await user.getIDToken().reveal() == Recorded.token("U2"))
    #expect(user.refreshToken.reveal() == "refresh-token-2")
    let form = backend.calls(of: .token).first?.form
    #expect(form?["grant_type"] == "refresh_token")
    #expect(form?["refresh_token"] == "refresh-token-1")
    _ = try await user.getIDToken()
    #expect(backend.calls(of: .token).count == 1)
  }

  @Test func `a refresh can be forced`() async throws {
    let user = try await setup.signIn()
    backend.queue(.token, refreshed())
    let result = try await user.getIDTokenResult(forcingRefresh: true)
    #expect(result.token.reveal() == Recorded.token("U2"))
    #expect(result.expirationDate == 3700)
    #expect(result.issuedAtDate == 100)
    #expect(result.claims["sub"] == "U2")
  }

  @Test func `callers at the same time share one refresh`() async throws {
    let box = Box(try await setup.signIn())
    backend.queue(.token, .held(refreshed()))
    let tasks = (0..<5).map { _ in
      Task.immediate { @MainActor in try await box.user.getIDToken(forcingRefresh: true).reveal() }
    }
    #expect(backend.heldCount == 1)
    backend.release()
    for task in tasks { #expect(try await task.value == Recorded.token("U2")) }
    #expect(backend.calls(of: .token).count == 1)
  }

  @Test func `a forced refresh does not take the token of one that was not forced`() async throws {
    let box = Box(try await setup.signIn())
    setup.clock.now += 3600
    backend.queue(.token, .held(refreshed()), .held(refreshed("U3")))
    let unforced = Task.immediate { @MainActor in try await box.user.getIDToken().reveal() }
    #expect(backend.heldCount == 1)
    let forced = (0..<3).map { _ in
      Task.immediate { @MainActor in try await box.user.getIDToken(forcingRefresh: true).reveal() }
    }
    backend.release()
    #expect(try await unforced.value == Recorded.token("U2"))
    // They go on in one go, so that all three wait again when the first of them has asked.
    while backend.heldCount == 0 { await Task.yield() }
    backend.release()
    for task in forced { #expect(try await task.value == Recorded.token("U3")) }
    #expect(backend.calls(of: .token).count == 2)
  }

  @Test func `a cancelled refresh does not fail those who wait for it`() async throws {
    let box = Box(try await setup.signIn())
    let cancelled = HTTPError(.cancelled, "the request was cancelled", hint: "")
    backend.queue(.token, .held(.failed(cancelled)), refreshed())
    let first = Task.immediate { @MainActor in
      try await box.user.getIDToken(forcingRefresh: true).reveal()
    }
    #expect(backend.heldCount == 1)
    let second = Task.immediate { @MainActor in
      try await box.user.getIDToken(forcingRefresh: true).reveal()
    }
    backend.release()
    #expect(await failure { _ = try await first.value }?.code == .networkError)
    #expect(try await second.value == Recorded.token("U2"))
  }

  @Test func `a refresh that was under way does not undo newer tokens`() async throws {
    let box = Box(try await setup.signIn())
    backend.queue(.token, .held(.refused("TOKEN_EXPIRED")))
    let slow = Task.immediate { @MainActor in
      try await box.user.getIDToken(forcingRefresh: true).reveal()
    }
    #expect(backend.heldCount == 1)
    backend.queue(
      .signInWithPassword, .ok(Recorded.tokens("U1", ["refreshToken": "newer"])))
    _ = try await box.user.reauthenticate(
      with: EmailAuthProvider.credential(email: "a@x.example", password: Secret("x")))
    backend.release()
    #expect(try await slow.value == Recorded.token("U1"))
    #expect(box.user.refreshToken.reveal() == "newer")
    #expect(setup.auth.currentUser === box.user)
  }

  @Test(arguments: [
    ("USER_NOT_FOUND", true), ("USER_DISABLED", true), ("INVALID_ID_TOKEN", true),
    ("TOKEN_EXPIRED", true), ("INVALID_REFRESH_TOKEN", true), ("QUOTA_EXCEEDED", false),
    ("CREDENTIAL_TOO_OLD_LOGIN_AGAIN", false),
  ])
  func `a session that is over signs the user out`(_ name: String, _ isOver: Bool) async throws {
    for path in 0..<3 {
      let user = try await setup.signIn()
      switch path {
      case 0:
        backend.queue(.token, .refused(name))
        #expect(await failure { _ = try await user.getIDToken(forcingRefresh: true) } != nil)
      case 1:
        backend.queue(.lookup, .refused(name))
        #expect(await failure { try await user.reload() } != nil)
      default:
        backend.queue(.update, .refused(name))
        #expect(await failure { try await user.updatePassword(Secret("p4ssword")) } != nil)
      }
      #expect((setup.auth.currentUser == nil) == isOver)
    }
  }

  @Test func `whoever signed in meanwhile is not signed out`() async throws {
    let former = try await setup.signIn()
    backend.account = Recorded.account("U2")
    backend.queue(.signInWithPassword, .ok(Recorded.tokens("U2")))
    let current = try await setup.auth.signIn(email: "b@x.example", password: Secret("x")).user
    backend.queue(.lookup, .refused("TOKEN_EXPIRED"))
    #expect(await failure { try await former.reload() }?.code == .userTokenExpired)
    #expect(setup.auth.currentUser === current)
  }

  @Test func `a broken connection signs nobody out`() async throws {
    let user = try await setup.signIn()
    for _ in 0..<RetryPolicy.maximumTries {
      backend.queue(.lookup, .failed(HTTPError(.timedOut, "h:1 did not answer", hint: "try later")))
    }
    let error = await failure { try await user.reload() }
    #expect(error?.code == .networkError)
    #expect(error?.message == "h:1 did not answer")
    #expect(error?.hint == "try later")
    #expect(setup.auth.currentUser === user)
  }

  @Test func `a refresh gets through a lost answer`() async throws {
    let user = try await setup.signIn()
    backend.queue(.token, .failed(HTTPError(.broken, "it broke", hint: "")), refreshed())
    #expect(try await user.getIDToken(forcingRefresh: true).reveal() == Recorded.token("U2"))
    #expect(backend.calls(of: .token).count == 2)
    #expect(backend.pauses.count == 1)
  }

  @Test(arguments: [-30_000, -7200, 7200, 86_400 * 3650] as [Int64])
  func `a clock that is wrong by hours or years does no harm`(_ error: Int64) async throws {
    // The tokens' own times are those of the server: issued at 100, expiring at 3700.
    setup.clock.now = 100 + error
    let user = try await setup.signIn()
    setup.clock.now += 3299
    _ = try await user.getIDToken()
    #expect(backend.calls(of: .token).isEmpty)
    setup.clock.now += 1
    backend.queue(.token, refreshed())
    _ = try await user.getIDToken()
    #expect(backend.calls(of: .token).count == 1)
  }

  @Test func `an answer without a lifetime takes the token's own`() async throws {
    backend.queue(
      .signInWithPassword,
      .ok(["localId": "U1", "idToken": .string(Recorded.token("U1")), "refreshToken": "r"]))
    let user = try await setup.auth.signIn(email: "a@x.example", password: Secret("x")).user
    setup.clock.now += 3299
    _ = try await user.getIDToken()
    #expect(backend.calls(of: .token).isEmpty)
  }

  @Test(arguments: ["9223372036854775807", "-9223372036854775808"])
  func `an absurd lifetime does no harm`(_ lifetime: String) async throws {
    backend.queue(
      .signInWithPassword, .ok(Recorded.tokens("U1", ["expiresIn": .string(lifetime)])))
    let user = try await setup.auth.signIn(email: "a@x.example", password: Secret("x")).user
    backend.queue(.token, refreshed())
    _ = try await user.getIDToken()
  }

  @Test func `9.30 a new token that is about to end is exchanged once more, and then taken`()
    async throws
  {
    for lives in [["200", "3600"], ["300", "299"]] {
      let user = try await setup.signIn()
      for (index, life) in lives.enumerated() {
        backend.queue(
          .token,
          .ok([
            "access_token": .string(Recorded.token("U1", #","n":\#(index)"#)),
            "expires_in": .string(life), "refresh_token": .string("refresh-token-\(index)"),
          ]))
      }
      let before = backend.calls(of: .token).count
      let token = try await user.getIDToken(forcingRefresh: true)
      #expect(token.reveal() == Recorded.token("U1", #","n":1"#))
      #expect(backend.calls(of: .token).count == before + 2)
      #expect(backend.calls(of: .token).last?.form["refresh_token"] == "refresh-token-0")
      #expect(user.refreshToken.reveal() == "refresh-token-1")
    }
  }

  // MARK: Users of another Auth

  private func auth(key: String) throws -> Auth {
    let url = try #require(WebURL("http://127.0.0.1:9099"))
    return Auth(
      target: Target(projectID: "p", apiKey: Secret(key), backend: .emulator(url)),
      transport: backend, clock: setup.clock)
  }

  @Test func `a user of another key is asked for before becoming current`() async throws {
    let user = try await setup.signIn()
    let same = try auth(key: "the-api-key")
    let before = backend.calls(of: .lookup).count
    try await same.updateCurrentUser(user)
    #expect(backend.calls(of: .lookup).count == before)
    let other = try auth(key: "another-key")
    try await other.updateCurrentUser(user)
    #expect(backend.calls(of: .lookup).count == before + 1)
    #expect(other.currentUser?.uid == "U1")
    #expect(other.currentUser !== user)
    #expect(user.auth === setup.auth)
  }

  @Test func `a user of an emulator is never one of a real project`() async throws {
    let user = try await setup.signIn()
    let real = Auth(
      target: Target(projectID: "p", apiKey: Secret("the-api-key"), backend: .production),
      transport: backend, clock: setup.clock)
    let before = backend.calls(of: .lookup).count
    let error = await failure { try await real.updateCurrentUser(user) }
    #expect(error?.code == .invalidUserToken)
    #expect(error?.hint.hasSuffix("nothing was sent") == true)
    #expect(backend.calls(of: .lookup).count == before)
    #expect(real.currentUser == nil)
    #expect(setup.auth.currentUser === user)
  }

  @Test func `a user whom the other backend does not know changes nothing there`() async throws {
    let user = try await setup.signIn()
    let other = try auth(key: "another-key")
    backend.queue(.signInWithPassword, .ok(Recorded.password))
    let current = try await other.signIn(email: "a@x.example", password: Secret("x")).user
    backend.queue(.lookup, .refused("INVALID_ID_TOKEN"))
    #expect(await failure { try await other.updateCurrentUser(user) }?.code == .invalidUserToken)
    // It has the same uid, but it is another project's.
    #expect(other.currentUser === current)
    #expect(setup.auth.currentUser === user)
    backend.queue(.lookup, .ok(["users": [Recorded.account("U2")]]))
    #expect(await failure { try await other.updateCurrentUser(user) }?.code == .internalError)
    #expect(other.currentUser === current)
  }

  @Test func `a token that is none is malformed`() async throws {
    backend.queue(.signInWithPassword, .ok(Recorded.tokens("U1", ["idToken": "not-a-token-text"])))
    let user = try await setup.auth.signIn(email: "a@x.example", password: Secret("x")).user
    let error = await failure { _ = try await user.getIDTokenResult() }
    #expect(error?.code == .malformedJWT)
    #expect(error?.description.contains("not-a-token-text") == false)
  }

  /// Lets tasks of the main actor share a user.
  @MainActor private final class Box {
    let user: User
    init(_ user: User) { self.user = user }
  }
}
