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

  @Test func `a body of more than 32 MiB is for an administrator's import alone`() async throws {
    try await Fixture.run { emulator in
      func status(_ path: String, _ headers: HTTPHeaders = [:]) async throws -> Int {
        var request = HTTPRequest(
          method: "POST", url: try #require(WebURL("\(emulator.origin)/\(path)")), headers: headers)
        request.headers.set("Content-Type", "application/json")
        // No JSON, which is found at the first byte of a body that is taken.
        request.body = [UInt8](repeating: 0, count: (32 << 20) + 1)
        return try await emulator.exchange(request).status
      }
      let toolkit = "identitytoolkit.googleapis.com/v1"
      let imports = "\(toolkit)/projects/demo-luath/accounts:batchCreate"
      let foreign: HTTPHeaders = [
        "Authorization": "Bearer owner", "Origin": "https://evil.example",
      ]
      let answers = [
        try await status("\(toolkit)/accounts:signUp?key=k"), try await status("\(imports)?key=k"),
        try await status(imports, ["Authorization": "Bearer owner"]),
        try await status(imports, foreign),
      ]
      #expect(answers == [413, 413, 400, 413])
    }
  }
}
