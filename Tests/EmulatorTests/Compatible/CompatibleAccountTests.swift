@testable import Emulator
@testable import System
@testable import HTTP
@testable import IdentityToolkit
import Testing

/// What accounts keep and how they are found under the rules of Firebase's emulator.
@Suite(.timeLimit(.minutes(1))) struct CompatibleAccountTests {
  // MARK: New accounts

  @Test func `adding a password takes the name away that the request leaves out`() async throws {
    try await Fixture.run(rules: .compatible) { fixture in
      let guest = try await fixture.call(.signUp)
      let token = try #require(guest["idToken"])
      _ = try await fixture.call(.update, ["idToken": token, "displayName": "Guest"])
      let member = try await fixture.call(
        .signUp, ["idToken": token, "email": "A@b", "password": "secret1"])
      #expect(member.status == 200)
      #expect(member["displayName"] == nil)
      let user = try await fixture.user(member["idToken"])
      #expect(user["displayName"] == nil)
    }
  }

  @Test(
    arguments: [
      (["phoneNumber": "1"], "INVALID_PHONE_NUMBER"), (["email": "x"], "INVALID_EMAIL"),
      (["password": "x"], "WEAK_PASSWORD"),
      (["mfaInfo": [["phoneInfo": "1"]]], "INVALID_MFA_PHONE_NUMBER"),
      ([:], "INVALID_ID_TOKEN"),
    ] as [(JSON, String)])
  func `the token of a new account's request is looked at last`(
    field: JSON, error: String
  ) async throws {
    try await Fixture.run(rules: .compatible) { fixture in
      var admins = field.object ?? JSONObject()
      admins["idToken"] = "no token"
      let made = try await fixture.admin("accounts", .object(admins))
      #expect(made.error == error)
      guard field["mfaInfo"] != nil else { return }
      admins["email"] = "a@b"
      admins["password"] = "secret1"
      let signedUp = try await fixture.call(.signUp, .object(admins))
      #expect(signedUp.error == error)
    }
  }

  @Test func `an empty id is an id, once`() async throws {
    try await Fixture.run(rules: .compatible) { fixture in
      let first = try await fixture.admin("accounts", ["localId": ""])
      #expect(first["localId"] == "")
      #expect(try await fixture.call(.signUp, ["localId": ""]).error == "DUPLICATE_LOCAL_ID")
    }
  }

  // MARK: Imports

  private static func user(_ fixture: Fixture, _ uid: String) async throws -> JSON {
    let found = try await fixture.admin("accounts:lookup", ["localId": [.string(uid)]])
    return try #require(found["users"]?[0])
  }

  @Test(
    arguments: [
      ("createdAt", "1e3", "1e3"), ("createdAt", "0x10", "0x10"), ("createdAt", "", ""),
      ("createdAt", "x", nil), ("lastLoginAt", "abc", "abc"), ("lastLoginAt", "", ""),
    ] as [(String, String, String?)])
  func `an imported time stays as it is written`(
    name: String, text: String, kept: String?
  ) async throws {
    try await Fixture.run(rules: .compatible) { fixture in
      _ = try await fixture.admin(
        "accounts:batchCreate",
        ["users": [.object(JSONObject([("localId", "a"), (name, .string(text))]))]])
      let user = try await Self.user(fixture, "a")
      if let kept {
        #expect(user[name]?.string == kept)
      } else {
        // What is no number gives way to the time of the import.
        #expect(user[name]?.string.flatMap { Int64($0) } != nil)
      }
    }
  }

  @Test func `an import keeps every entry of a provider that comes twice`() async throws {
    try await Fixture.run(rules: .compatible) { fixture in
      let entries: JSON = [
        ["providerId": "p.com", "rawId": "1", "displayName": ""],
        ["providerId": "p.com", "rawId": "2"],
      ]
      _ = try await fixture.admin(
        "accounts:batchCreate", ["users": [["localId": "a", "providerUserInfo": entries]]])
      let listed = try await Self.user(fixture, "a")["providerUserInfo"]?.array
      #expect(listed?.map { $0["rawId"] } == ["2", "2"])
    }
  }

  @Test func `of one id twice the later row stays where rows may overwrite`() async throws {
    try await Fixture.run(rules: .compatible) { fixture in
      let rows: JSON = [
        [
          "localId": "a", "email": "one@b", "phoneNumber": "+1", "rawPassword": "secret1",
          "providerUserInfo": [["providerId": "p.com", "rawId": "1", "email": "one@b"]],
        ],
        ["localId": "a", "email": "two@b"],
      ]
      let refused = try await fixture.admin("accounts:batchCreate", ["users": rows])
      #expect(refused.message == "DUPLICATE_LOCAL_ID : a")
      let reply = try await fixture.admin(
        "accounts:batchCreate", ["users": rows, "allowOverwrite": true])
      #expect(reply["error"] == [])
      let user = try await Self.user(fixture, "a")
      #expect(user["email"] == "two@b")
      for key in ["phoneNumber", "providerUserInfo", "passwordHash", "salt"] {
        #expect(user[key] == nil, "\(key)")
      }
      let gone = try await fixture.admin(
        "accounts:lookup",
        [
          "email": ["one@b"], "phoneNumber": ["+1"],
          "federatedUserId": [["providerId": "p.com", "rawId": "1"]],
        ])
      #expect(gone["users"] == nil)
    }
  }

  @Test func `the account's own number is no change, though an import gave it away`() async throws {
    try await Fixture.run(rules: .compatible) { fixture in
      let rows: JSON = [
        ["localId": "a", "phoneNumber": "+1"], ["localId": "b", "phoneNumber": "+1"],
        ["localId": "c", "phoneNumber": "+2"],
      ]
      _ = try await fixture.admin("accounts:batchCreate", ["users": rows])
      for uid: JSON in ["a", "b"] {
        let same = try await fixture.admin(
          "accounts:update", ["localId": uid, "phoneNumber": "+1", "displayName": "x"])
        #expect(same.status == 200, "\(same.message)")
      }
      let other = try await fixture.admin(
        "accounts:update", ["localId": "c", "phoneNumber": "+1"])
      #expect(other.error == "PHONE_NUMBER_EXISTS")
    }
  }

  @Test(arguments: [["deleteAttribute": ["PASSWORD"]], ["deleteProvider": ["password"]]] as [JSON])
  func `a salt that a takeover left goes with the next password`(removal: JSON) async throws {
    try await Fixture.run(rules: .compatible) { fixture in
      let made = try await fixture.call(.signUp, ["email": "a@b", "password": "secret1"])
      let uid = try #require(made["localId"]?.string)
      let old = try await Self.user(fixture, uid)["salt"]
      let taken = try await fixture.call(
        .signInWithIdp,
        [
          "requestUri": "http://localhost",
          "postBody":
            "providerId=google.com&id_token={\"sub\":\"1\",\"email\":\"a@b\",\"email_verified\":true}",
        ])
      #expect(taken["localId"]?.string == uid)
      // Firebase's emulator leaves the salt behind.
      let left = try await Self.user(fixture, uid)["salt"]
      #expect(left == old)
      _ = try await fixture.call(.sendOobCode, ["requestType": "PASSWORD_RESET", "email": "a@b"])
      let codes = try await fixture.request("GET", "emulator/v1/projects/demo-luath/oobCodes")
      let code = try #require(codes["oobCodes"]?[0]?["oobCode"])
      _ = try await fixture.call(.resetPassword, ["oobCode": code, "newPassword": "secret2"])
      let new = try await Self.user(fixture, uid)["salt"]
      #expect(new != old)
      var body = removal.object ?? JSONObject()
      body["localId"] = .string(uid)
      _ = try await fixture.admin("accounts:update", .object(body))
      let gone = try await Self.user(fixture, uid)["salt"]
      #expect(gone == nil)
    }
  }

  @Test func `a request to delete passkeys leaves a list, however empty`() async throws {
    try await Fixture.run(rules: .compatible) { fixture in
      let token = try #require(try await fixture.call(.signUp)["idToken"])
      for ids: JSON in [[], ["nobody's"]] {
        _ = try await fixture.call(.update, ["idToken": token, "deletePasskey": ids])
        let user = try await fixture.user(token)
        #expect(user["passkeyInfo"] == [])
      }
    }
  }

  @Test func `a failure inside has no domain`() async throws {
    try await Fixture.run(rules: .compatible) { fixture in
      let tenant = try await fixture.asAdmin("POST", "v2/projects/demo-luath/tenants", [:])
      let id = try #require(tenant["tenantId"])
      let nested = try await fixture.asAdmin(
        "POST", "v2/projects/demo-luath/tenants", ["tenantId": id])
      let message = "INTERNAL_ERROR : Can only create tenant in agent project"
      #expect(nested.status == 500)
      #expect(nested["error"]?["errors"] == [["message": .string(message), "reason": "INTERNAL"]])
      // No service listens at port 1.
      try await fixture.setFunctions(["beforeCreate": "http://127.0.0.1:1/create"])
      let refused = try await fixture.call(.signUp, ["email": "a@b", "password": "secret1"])
      #expect(refused.status == 500)
      #expect(refused.error == "BLOCKING_FUNCTION_ERROR_RESPONSE")
      #expect(refused["error"]?["errors"]?[0]?["domain"] == nil)
    }
  }

  @Test func `a hash without salt is nobody's password`() async throws {
    try await Fixture.run(rules: .compatible) { fixture in
      _ = try await fixture.admin(
        "accounts:batchCreate",
        [
          "users": [
            ["localId": "a", "email": "a@b", "passwordHash": "fakeHash:salt=:password=secret1"]
          ]
        ])
      let reply = try await fixture.call(
        .signInWithPassword, ["email": "a@b", "password": "secret1"])
      #expect(reply.error == "INVALID_PASSWORD")
    }
  }

  @Test func `of two accounts with one address the other is not found when one is gone`()
    async throws
  {
    try await Fixture.run(rules: .compatible) { fixture in
      for (uid, email) in [("a", "x@b"), ("b", "X@b")] {
        _ = try await fixture.admin(
          "accounts:batchCreate",
          ["users": [["localId": .string(uid), "email": .string(email)]]])
      }
      let both = try await fixture.admin("accounts:lookup", ["email": ["x@b"]])
      #expect(both["users"]?[0]?["localId"] == "b")
      _ = try await fixture.admin("accounts:delete", ["localId": "a"])
      #expect(try await fixture.admin("accounts:lookup", ["email": ["x@b"]])["users"] == nil)
    }
  }

  @Test func `an identity that another of its provider replaced is still known`() async throws {
    try await Fixture.run(rules: .compatible) { fixture in
      _ = try await fixture.admin("accounts", ["localId": "a"])
      for rawID in ["1", "2"] as [JSON] {
        _ = try await fixture.admin(
          "accounts:update",
          ["localId": "a", "linkProviderUserInfo": ["providerId": "p.com", "rawId": rawID]])
      }
      func owner(_ rawID: JSON) async throws -> JSON? {
        try await fixture.admin(
          "accounts:lookup", ["federatedUserId": [["providerId": "p.com", "rawId": rawID]]])[
            "users"]?[
            0]?["localId"]
      }
      #expect(try await owner("1") == "a")
      _ = try await fixture.admin("accounts:update", ["localId": "a", "deleteProvider": ["p.com"]])
      #expect(try await owner("2") == nil)
      _ = try await fixture.admin("accounts:delete", ["localId": "a"])
      #expect(try await owner("1") == nil)
    }
  }

  // MARK: Changes

  @Test(arguments: ["abc", "-5", "1.5", "", "007"])
  func `a time stays as an administrator writes it`(text: String) async throws {
    try await Fixture.run(rules: .compatible) { fixture in
      _ = try await fixture.admin("accounts", ["localId": "a"])
      for name in ["createdAt", "lastLoginAt", "validSince"] {
        let changed = try await fixture.admin(
          "accounts:update", .object(JSONObject([("localId", "a"), (name, .string(text))])))
        #expect(changed.status == 200)
        #expect(try await Self.user(fixture, "a")[name]?.string == text)
      }
    }
  }

  @Test func `a limit that is no number ends every token`() async throws {
    try await Fixture.run(rules: .compatible) { fixture in
      let made = try await fixture.signUp("a@b")
      let uid = try #require(made["localId"])
      _ = try await fixture.admin("accounts:update", ["localId": uid, "validSince": "abc"])
      #expect(try await fixture.lookup(made["idToken"]).error == "TOKEN_EXPIRED")
      _ = try await fixture.admin("accounts:update", ["localId": uid, "validSince": ""])
      #expect(try await fixture.lookup(made["idToken"]).status == 200)
    }
  }

  @Test func `a reset puts the password before the telephone`() async throws {
    try await Fixture.run(rules: .compatible) { fixture in
      _ = try await fixture.admin("accounts", ["localId": "a", "phoneNumber": "+1"])
      let change: JSON = [
        "localId": "a", "email": "a@b", "password": "secret1",
        "linkProviderUserInfo": ["providerId": "p.com", "rawId": "1"],
      ]
      let before = try await fixture.admin("accounts:update", change)
      #expect(
        before["providerUserInfo"]?.array?.map { $0["providerId"] } == [
          "phone", "p.com", "password",
        ])
      let sent = try await fixture.admin(
        "accounts:sendOobCode",
        ["requestType": "PASSWORD_RESET", "email": "a@b", "returnOobLink": true])
      _ = try await fixture.call(
        .resetPassword, ["oobCode": sent["oobCode"] ?? .null, "newPassword": "secret2"])
      let after = try await Self.user(fixture, "a")["providerUserInfo"]?.array
      #expect(after?.map { $0["providerId"] } == ["password", "phone"])
    }
  }

  @Test func `a code's request may unlink a provider too`() async throws {
    try await Fixture.run(rules: .compatible) { fixture in
      _ = try await fixture.admin(
        "accounts", ["localId": "a", "email": "a@b", "password": "secret1"])
      _ = try await fixture.admin(
        "accounts:update",
        ["localId": "a", "linkProviderUserInfo": ["providerId": "p.com", "rawId": "1"]])
      let sent = try await fixture.admin(
        "accounts:sendOobCode",
        ["requestType": "VERIFY_EMAIL", "email": "a@b", "returnOobLink": true])
      let done = try await fixture.call(
        .update, ["oobCode": sent["oobCode"] ?? .null, "deleteProvider": ["p.com"]])
      #expect(done["emailVerified"] == true)
      #expect(done["providerUserInfo"]?.array?.map { $0["providerId"] } == ["password"])
    }
  }

  @Test func `claims are written again as JavaScript writes numbers`() async throws {
    try await Fixture.run(rules: .compatible) { fixture in
      let made = try await fixture.signUp("a@b")
      _ = try await fixture.admin(
        "accounts:update",
        [
          "localId": made["localId"] ?? .null,
          "customAttributes": #"{"a":1.0,"b":[9007199254740993],"c":1e3}"#,
        ])
      let again = try await fixture.call(
        .signInWithPassword, ["email": "a@b", "password": "correct horse"])
      let claims = try fixture.claims(again["idToken"])
      #expect(claims["a"] == .integer(1))
      #expect(claims["b"] == [.integer(9_007_199_254_740_992)])
      #expect(claims["c"] == .integer(1000))
    }
  }

  // MARK: Addresses that are shared

  @Test func `where addresses may be shared the first of all tells the ways`() async throws {
    try await Fixture.run(rules: .compatible, { $0.oneAccountPerEmail = false }) { fixture in
      let identity: (JSON) -> JSON = { rawID in
        [["providerId": "p.com", "rawId": rawID, "email": "x@b"]]
      }
      _ = try await fixture.admin(
        "accounts:batchCreate",
        [
          "users": [
            ["localId": "a", "providerUserInfo": identity("1")],
            [
              "localId": "b", "email": "b@b", "rawPassword": "secret1",
              "providerUserInfo": identity("2"),
            ],
          ]
        ])
      let reply = try await fixture.call(
        .createAuthUri, ["identifier": "x@b", "continueUri": "http://app"])
      #expect(reply["registered"] == true)
      #expect(reply["allProviders"] == ["password"])
      #expect(reply["signinMethods"] == [])
    }
  }

  // MARK: Links

  @Test func `what is no part of a URL is escaped where a link leads on`() async throws {
    try await Fixture.run(rules: .compatible) { fixture in
      _ = try await fixture.signUp("a@b")
      let sent = try await fixture.admin(
        "accounts:sendOobCode",
        ["requestType": "VERIFY_EMAIL", "email": "a@b", "returnOobLink": true])
      let query = FormFields([
        ("apiKey", "k"), ("mode", "verifyEmail"), ("oobCode", sent["oobCode"]?.string ?? ""),
        ("continueUrl", "http://x.test/a b?c={1}&d=%zz%20<|^"),
      ])
      let url = try #require(WebURL("\(fixture.origin)/emulator/action")).with(fields: query)
      let response = try await fixture.exchange(HTTPRequest(url: url))
      #expect(response.status == 303)
      #expect(response.headers["Location"] == "http://x.test/a%20b?c=%7B1%7D&d=%25zz%20%3C|^")
    }
  }

  @Test func `a mode that comes twice is none`() async throws {
    try await Fixture.run(rules: .compatible) { fixture in
      let reply = try await fixture.request(
        "GET", "emulator/action?apiKey=k&mode=verifyEmail&mode=signIn&oobCode=x")
      #expect(reply.status == 400)
      #expect(reply.json["authEmulator"]?["error"] == "Invalid mode")
    }
  }
}
