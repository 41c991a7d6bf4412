@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Testing

@testable import Emulator

/// What one client may make the emulator keep.
@Suite(.timeLimit(.minutes(1))) struct RequestLimitTests {
  @Test func `a text that is sent back later has a limit`() async throws {
    try await Fixture.run { emulator in
      func start(_ key: String, _ count: Int) async throws -> Fixture.Reply {
        var body: JSONObject = [
          "providerId": "google.com", "continueUri": .string("\(emulator.origin)/__/auth/handler"),
        ]
        body[key] = .string(String(repeating: "a", count: count))
        return try await emulator.call(.createAuthUri, .object(body))
      }
      for key in ["context", "sessionId"] {
        #expect(try await start(key, 16_384).status == 200)
        let refused = try await start(key, 16_385)
        #expect(refused.status == 400)
        #expect(refused.message == "\(key) is longer than 16384 bytes")
      }
      let letter = try await emulator.call(
        .sendOobCode,
        [
          "requestType": "EMAIL_SIGNIN", "email": "a@b.example",
          "continueUrl": .string("http://localhost/" + String(repeating: "a", count: 16_384)),
        ])
      #expect(letter.message == "continueUrl is longer than 16384 bytes")
    }
  }

  @Test func `when there is too much, the oldest goes`() {
    var table = ShortLived<Int>(limit: 4000)
    for number in 1...3 {
      table.put(number, under: "key \(number)", size: 1000, expires: 10, now: 1)
    }
    #expect(table.peek("key 1", now: 1) == nil)
    #expect(table.peek("key 2", now: 1) == 2 && table.peek("key 3", now: 1) == 3)
    // What is taken makes room, and what is put again counts once.
    #expect(table.take("key 2", now: 1) == 2)
    for _ in 1...3 { table.put(3, under: "key 3", size: 1000, expires: 10, now: 1) }
    table.put(4, under: "key 4", size: 1000, expires: 10, now: 1)
    #expect(table.take("key 3", now: 1) == 3 && table.take("key 4", now: 1) == 4)
    for number in 1...5000 { table.put(number, under: "n\(number)", expires: 10, now: 1) }
    #expect(table.peek("n4999", now: 1) == 4999 && table.peek("n4000", now: 1) == nil)
  }

  @Test func `no body is larger than 32 MiB, not even an administrator's import`() async throws {
    try await Fixture.run { emulator in
      func status(_ path: String, bytes: Int) async throws -> HTTPResponse {
        var request = HTTPRequest(
          method: "POST", url: try #require(WebURL("\(emulator.origin)/\(path)")),
          headers: ["Authorization": "Bearer owner", "Content-Type": "application/json"])
        // No JSON, which is found at the first byte of a body that is taken.
        request.body = [UInt8](repeating: 0, count: bytes)
        return try await emulator.exchange(request)
      }
      let toolkit = "identitytoolkit.googleapis.com/v1"
      let paths = [
        "\(toolkit)/accounts:signUp?key=k", "\(toolkit)/projects/demo-luath/accounts:batchCreate",
      ]
      for path in paths {
        let refused = try await status(path, bytes: Emulator.maximumBodyBytes + 1)
        #expect(refused.status == 413)
        #expect(
          String(decoding: refused.body, as: UTF8.self)
            == "the request body is larger than 33554432 bytes; send less at once\n")
        #expect(try await status(path, bytes: Emulator.maximumBodyBytes).status == 400)
      }
    }
  }

  @Test func `a thousand accounts with long claims are one import`() async throws {
    try await Fixture.run { emulator in
      let users: [JSON] = (1...1000).map { number in
        [
          "localId": .string("user\(number)"), "email": .string("u\(number)@luath.example"),
          "customAttributes": .string("{\"a\":\"\(String(repeating: "b", count: 980))\"}"),
          "displayName": .string(String(repeating: "d", count: 256)),
          "photoUrl": .string("https://luath.example/\(String(repeating: "p", count: 2000))"),
        ]
      }
      let reply = try await emulator.admin("accounts:batchCreate", ["users": .array(users)])
      #expect(reply.status == 200 && reply["error"] == nil, "\(reply.message)")
    }
  }

  @Test func `of too many codes the oldest ends`() async throws {
    try await Fixture.run { emulator in
      _ = try await emulator.signUp("ada@luath.example")
      let project = "projects/demo-luath"
      func send(_ email: String) async throws -> String {
        let reply = try await emulator.admin(
          "accounts:sendOobCode",
          [
            "requestType": "EMAIL_SIGNIN", "email": .string(email), "returnOobLink": true,
            "continueUrl": "http://localhost/", "canHandleCodeInApp": true,
          ])
        return try #require(reply["oobCode"]?.string, "\(project): \(reply.message)")
      }
      let first = try await send("first@luath.example")
      let second = try await send("second@luath.example")
      // The table is filled directly; the last code comes over HTTP.
      await emulator.emulator.fillCodes(to: Backend.maximumCodes)
      _ = try await send("last@luath.example")
      func status(_ code: String, _ email: String) async throws -> Int {
        try await emulator.call(
          .signInWithEmailLink, ["oobCode": .string(code), "email": .string(email)]
        ).status
      }
      #expect(try await status(first, "first@luath.example") == 400)
      #expect(try await status(second, "second@luath.example") == 200)
    }
  }

  @Test func `of too many sessions of an account the oldest ends`() async throws {
    try await Fixture.run { emulator in
      let account = try await emulator.signUp("ada@luath.example")
      let uid = try #require(account["localId"]?.string)
      let next = try await emulator.call(
        .signInWithPassword,
        [
          "email": "ada@luath.example", "password": "correct horse", "returnSecureToken": true,
        ])
      func status(_ token: JSON?) async throws -> Int {
        try await emulator.post(
          "securetoken.googleapis.com/v1/token",
          ["grant_type": "refresh_token", "refresh_token": token ?? .null]
        ).status
      }
      #expect(try await status(account["refreshToken"]) == 200)
      await emulator.emulator.startSessions(999, of: uid)
      #expect(try await status(account["refreshToken"]) == 400)
      #expect(try await status(next["refreshToken"]) == 200)
    }
  }
}

extension Emulator {
  /// Adds codes for addresses that nobody uses, until there are so many.
  fileprivate func fillCodes(to count: Int) {
    let backend = madeGateway().projects.main.backend
    var number = 0
    while backend.codes.count < count {
      number += 1
      let code = OutOfBandCode(
        code: "filler\(number)", purpose: .emailSignIn, email: "filler\(number)@luath.example",
        newEmail: nil, uid: nil, handler: "http://localhost/", apiKey: "k", tenantID: nil,
        continueURL: nil, createdAt: backend.now)
      backend.codes.put(code, under: code.code)
    }
  }

  fileprivate func startSessions(_ count: Int, of uid: String) {
    let backend = madeGateway().projects.main.backend
    for _ in 0..<count {
      _ = backend.sessions.start(
        SignInSession(provider: "password", authTime: backend.now), uid: uid)
    }
  }
}
