@testable import Emulator
@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct FaultTests {
  private func put(_ emulator: Fixture, _ faults: JSON, seed: Int64 = 0) async throws {
    let reply = try await emulator.request(
      "PUT", "emulator/v1/faults", ["seed": .integer(seed), "faults": faults])
    try #require(reply.status == 200, "\(reply.message)")
  }

  private static let named: [(String, Int)] = [
    ("QUOTA_EXCEEDED", 400), ("TOO_MANY_ATTEMPTS_TRY_LATER", 400), ("RESOURCE_EXHAUSTED", 429),
    ("INTERNAL", 500), ("UNAVAILABLE", 503), ("DEADLINE_EXCEEDED", 504), ("TOKEN_EXPIRED", 400),
  ]

  @Test(arguments: named)
  func `an error has the status it has in production`(name: String, status: Int) async throws {
    try await Fixture.run { emulator in
      try await put(emulator, [["operation": "signUp", "error": .string(name), "count": 1]])
      let reply = try await emulator.call(.signUp)
      #expect(reply.status == status)
      #expect(reply.json.encoded().contains(name) || status >= 429)
      #expect(reply["error"]?["code"] == .integer(Int64(status)))
      #expect(try await emulator.call(.signUp).status == 200)
    }
  }

  @Test func `the token service names its quota an invalid argument`() async throws {
    try await Fixture.run { emulator in
      try await put(emulator, [["operation": "token", "error": "QUOTA_EXCEEDED"]])
      let reply = try await emulator.call(
        .token, ["grantType": "refresh_token", "refreshToken": "x"])
      #expect(reply.status == 400)
      #expect(reply["error"]?["status"] == "INVALID_ARGUMENT")
      #expect(reply.error == "QUOTA_EXCEEDED")
    }
  }

  @Test func `a bare status comes in HTML and tells when to come back`() async throws {
    try await Fixture.run { emulator in
      try await put(emulator, [["error": 503, "retryAfter": 9]])
      let url = try #require(
        WebURL("\(emulator.origin)/identitytoolkit.googleapis.com/v1/accounts:signUp?key=k"))
      let response = try await emulator.exchange(.post(url, json: [:]))
      #expect(response.status == 503)
      #expect(response.headers["Retry-After"] == "9")
      #expect(response.headers["Content-Type"]?.hasPrefix("text/html") == true)
    }
  }

  @Test func `a lost answer was carried out, unless the fault says otherwise`() async throws {
    try await Fixture.run { emulator in
      for (index, fault) in ([["drop": true], ["cutAfter": 10]] as [JSONObject]).enumerated() {
        for carriedOut in [true, false] {
          var fault = fault
          if !carriedOut { fault["carriedOut"] = false }
          try await put(emulator, [.object(fault)])
          let email = "lost-\(index)-\(carriedOut)@b.example"
          await #expect(throws: HTTPError.self) {
            _ = try await emulator.call(
              .signUp, ["email": .string(email), "password": "correct horse"])
          }
          _ = try await emulator.request("DELETE", "emulator/v1/faults")
          let found = try await emulator.admin(
            "accounts:lookup", ["email": .array([.string(email)])])
          #expect((found["users"] != nil) == carriedOut, "\(email)")
        }
      }
    }
  }

  @Test func `a seed repeats what it gave`() async throws {
    func pattern(seed: Int64) async throws -> [Int] {
      var statuses: [Int] = []
      try await Fixture.run { emulator in
        try await put(emulator, [["error": "UNAVAILABLE", "rate": 0.5]], seed: seed)
        for _ in 0..<40 { statuses.append(try await emulator.call(.signUp).status) }
        let listed = try await emulator.request("GET", "emulator/v1/faults")
        #expect(listed["faults"]?[0]?["seen"] == 40)
        #expect(
          listed["faults"]?[0]?["struck"]?.integer == Int64(statuses.count { $0 == 503 }))
        let again = try await emulator.request("PUT", "emulator/v1/faults", listed.json)
        #expect(again.status == 200 && again["faults"]?[0]?["seen"] == 0)
      }
      return statuses
    }
    let first = try await pattern(seed: 1)
    #expect(try await pattern(seed: 1) == first)
    #expect(try await pattern(seed: 2) != first)
    #expect(Set(first) == [200, 503])
  }

  @Test func `a latency holds back, each kind of it`() async throws {
    try await Fixture.run { emulator in
      for latency in [
        40, ["min": 30, "max": 31], ["mean": 30, "deviation": 0], ["p50": 30, "p99": 31],
      ] as [JSON] {
        try await put(emulator, [["operation": "signUp", "latency": latency]])
        let start = ContinuousClock.now
        #expect(try await emulator.call(.signUp).status == 200)
        // A lower bound holds on the slowest machine.
        #expect(ContinuousClock.now - start >= .milliseconds(25), "\(latency.encoded())")
      }
    }
  }

  @Test func `faults pass the first requests, keep to their project and end`() async throws {
    try await Fixture.run { emulator in
      try await put(
        emulator,
        [
          ["error": "INTERNAL", "after": 2, "count": 1],
          ["error": "UNAVAILABLE", "project": "elsewhere"],
        ])
      var statuses: [Int] = []
      for _ in 0..<5 { statuses.append(try await emulator.call(.signUp).status) }
      #expect(statuses == [200, 200, 500, 200, 200])
      #expect(try await emulator.request("DELETE", "emulator/v1/faults")["faults"] == [])
    }
  }

  @Test func `revoked tokens and jumps of the clock are real`() async throws {
    try await Fixture.run { emulator in
      let user = try await emulator.signUp("ada@b.example")
      try await put(emulator, [["operation": "lookup", "revokeTokens": true, "count": 1]])
      #expect(try await emulator.lookup(user["idToken"]).error == "TOKEN_EXPIRED")
      let refreshed = try await emulator.call(
        .token,
        ["grantType": "refresh_token", "refreshToken": user["refreshToken"] ?? .null])
      #expect(refreshed.error == "TOKEN_EXPIRED")
      let second = try await emulator.signUp("eve@b.example")
      try await put(emulator, [["operation": "lookup", "advanceSeconds": 3901, "count": 1]])
      #expect(try await emulator.lookup(second["idToken"]).error == "INVALID_ID_TOKEN")
    }
  }

  @Test(arguments: [
    "{}", #"{"faults":[{}]}"#, #"{"faults":[{"error":"NO_SUCH_ERROR"}]}"#,
    #"{"faults":[{"error":200}]}"#, #"{"faults":[{"error":503,"rate":2}]}"#,
    #"{"faults":[{"latency":-1}]}"#, #"{"faults":[{"latency":{"min":2,"max":1}}]}"#,
    #"{"faults":[{"operation":"fly","error":503}]}"#, #"{"faults":[{"error":503,"x":1}]}"#,
    #"{"faults":7}"#, #"{"seed":-1,"faults":[]}"#, #"{"faults":[{"cutAfter":-1}]}"#,
  ])
  func `a fault that cannot be is refused and the others stay`(text: String) async throws {
    try await Fixture.run { emulator in
      try await put(emulator, [["operation": "update", "error": 503]])
      let reply = try await emulator.request("PUT", "emulator/v1/faults", try JSON.parse(text))
      if text == "{}" {
        #expect(reply["faults"] == [])
      } else {
        #expect(reply.status == 400)
        let listed = try await emulator.request("GET", "emulator/v1/faults")
        #expect(listed["faults"]?.array?.count == 1)
      }
    }
  }

  @Test(arguments: [
    "latency=200ms", "latency=50ms-2s", "503=5%", "signUp:QUOTA_EXCEEDED=100%", "drop", "cut=0.5%",
    "latency=1s,lookup:500=1%",
  ])
  func `the words of the command line are understood`(words: String) throws {
    _ = try FaultPlan(words: words, seed: 1)
  }

  @Test(arguments: [
    "", "latency", "latency=soon", "latency=2s-1s", "latency=-1ms", "503=5", "503=101%", "fly:503",
    "200=5%",
    "drop=-1%", "NO_SUCH=1%", "latency=200ms,",
  ])
  func `words that mean nothing are refused with an example`(words: String) {
    #expect {
      _ = try FaultPlan(words: words, seed: 1)
    } throws: { error in
      (error as? ConfigurationError)?.hint?.contains("such as") == true
    }
  }

  @Test func `quotas are Google's and grow back with the clock`() async throws {
    try await Fixture.run(keepsQuotas: true) { emulator in
      for _ in 0..<100 { #expect(try await emulator.call(.signUp).status == 200) }
      #expect(try await emulator.call(.signUp).error == "TOO_MANY_ATTEMPTS_TRY_LATER")
      emulator.clock.advance(bySeconds: 3600)
      #expect(try await emulator.call(.signUp).status == 200)
      for _ in 0..<10 {
        _ = try await emulator.admin("accounts:delete", ["localId": "nobody"])
      }
      let eleventh = try await emulator.admin("accounts:delete", ["localId": "nobody"])
      #expect(eleventh.error == "QUOTA_EXCEEDED")
    }
  }

  @Test func `the clock can be set to any time`() async throws {
    try await Fixture.run { emulator in
      let set = try await emulator.request(
        "PATCH", "emulator/v1/clock", ["time": "2030-01-01T00:00:00Z"])
      #expect(set["seconds"] == 1_893_456_000)
      let user = try await emulator.signUp("ada@b.example")
      #expect(try emulator.claims(user["idToken"])["iat"] == 1_893_456_000)
      #expect(
        try await emulator.request("PATCH", "emulator/v1/clock", ["time": 1_700_000_000])["time"]
          == "2023-11-14T22:13:20.000Z")
      let alias = try await emulator.request("GET", "emulator/v1/projects/demo-luath/clock")
      #expect(alias["time"] == "2023-11-14T22:13:20.000Z")
      for time in ["soon", -1, true, "2030-13-01T00:00:00Z"] as [JSON] {
        #expect(
          try await emulator.request("PATCH", "emulator/v1/clock", ["time": time]).status == 400)
      }
    }
  }
}
