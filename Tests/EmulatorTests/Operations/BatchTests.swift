@testable import Emulator
@testable import System
@testable import IdentityToolkit
@testable import OIDC
import Testing

@Suite(.timeLimit(.minutes(1)))
struct BatchTests {
  private static let kind: JSON = "identitytoolkit#UploadAccountResponse"

  private func upload(
    _ emulator: Fixture, _ users: JSON, _ more: JSONObject = JSONObject()
  ) async throws -> Fixture.Reply {
    var body = more
    body["users"] = users
    return try await emulator.admin("accounts:batchCreate", .object(body))
  }

  // MARK: Import

  @Test(
    arguments: [
      (["localId": ""], "localId is missing"),
      (
        ["localId": "a", "tenantId": "t"],
        "Tenant id in userInfo does not match the tenant id in request."
      ),
      (["localId": "a", "customAttributes": "[]"], "Invalid custom claims provided."),
      (
        ["localId": "a", "customAttributes": #"{"iss":1}"#],
        "Custom claims provided include a reserved claim."
      ),
      (
        ["localId": "a", "customAttributes": .string("\"\(String(repeating: "x", count: 1000))")],
        "Custom claims provided are too large."
      ),
      (
        ["localId": "a", "providerUserInfo": [["providerId": "google.com"]]],
        "federatedId or (providerId & rawId) is required"
      ),
      (["localId": "a", "phoneNumber": "5550100"], "phone number format is invalid"),
      (["localId": "a", "email": "nobody"], "email is invalid"),
      (
        ["localId": "a", "mfaInfo": [["phoneInfo": "+15550100"]]],
        "Second factor account requires email to be presented."
      ),
      (
        ["localId": "a", "email": "a@b.c", "mfaInfo": [["phoneInfo": "+15550100"]]],
        "Second factor account requires email to be verified."
      ),
      (
        [
          "localId": "a", "email": "a@b.c", "emailVerified": true,
          "mfaInfo": [["mfaEnrollmentId": "1"], ["mfaEnrollmentId": "1"]],
        ], "Enrollment id already exists."
      ),
      (
        ["localId": "a", "email": "a@b.c", "emailVerified": true, "mfaInfo": [["totpInfo": [:]]]],
        "Second factor not supported."
      ),
      (["localId": "old"], "localId belongs to an existing account - can not overwrite."),
      (
        ["localId": "a", "email": "old@b.c"],
        "((Auth Emulator does not support importing duplicate email: old@b.c))"
      ),
      (
        ["localId": "a", "providerUserInfo": [["providerId": "google.com", "rawId": "1"]]],
        "raw id exists in other account in database"
      ),
    ] as [(JSON, String)])
  func `a row that cannot be stored says why, and the next one is stored`(
    _ row: JSON, _ message: String
  ) async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let old: JSON = [
        "localId": "old", "email": "old@b.c",
        "providerUserInfo": [["providerId": "google.com", "rawId": "1"]],
      ]
      #expect(try await upload(emulator, [old])["error"] == [])
      let reply = try await upload(emulator, [row, ["localId": "good"]])
      #expect(
        reply.json == [
          "kind": Self.kind, "error": [["index": 0, "message": .string(message)]],
        ])
      let found = try await emulator.admin("accounts:lookup", ["localId": ["good"]])
      #expect(found["users"]?.array?.count == 1)
    }
  }

  @Test func `duplicates inside an upload refuse all of it`() async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let twice: JSON = [["localId": "a", "email": "a@b.c"], ["localId": "b", "email": "a@b.c"]]
      let sane = try await upload(emulator, twice, ["sanityCheck": true])
      #expect(sane.message == "DUPLICATE_EMAIL : a@b.c")
      let ids = try await upload(emulator, [["localId": "a"], ["localId": "a"]])
      #expect(ids.message == "DUPLICATE_LOCAL_ID : a")
      #expect(try await upload(emulator, []).message == "MISSING_USER_ACCOUNT")
      let none = try await emulator.admin("accounts:query", ["returnUserInfo": false])
      #expect(none["recordsCount"] == "0")
    }
  }

  @Test func `an upload that may overwrite replaces the whole account`() async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let old: JSON = [
        "localId": "a", "email": "a@b.c", "displayName": "A", "createdAt": "1000",
        "lastLoginAt": "2000",
      ]
      _ = try await upload(emulator, [old])
      let reply = try await upload(emulator, [["localId": "a"]], ["allowOverwrite": true])
      #expect(reply["error"] == [])
      let user = try await emulator.admin("accounts:lookup", ["localId": ["a"]])["users"]?[0]
      #expect(user?["email"] == nil)
      #expect(user?["displayName"] == nil)
      #expect(user?["lastLoginAt"] == nil)
      #expect(user?["createdAt"] != "1000")
      let byEmail = try await emulator.admin("accounts:lookup", ["email": ["a@b.c"]])
      #expect(byEmail["users"] == nil)
    }
  }

  @Test func `an imported hash signs in, and gives way to one of the project's own`()
    async throws
  {
    try await Fixture.run { emulator in
      let salt = Array("salt".utf8)
      let wire: JSONObject = [
        "hashAlgorithm": "HMAC_SHA256", "signerKey": "c2VjcmV0",
        "passwordHashOrder": "SALT_AND_PASSWORD",
      ]
      let hash = try #require(try PasswordHashing(wire: wire).hash("open sesame", salt: salt))
      let row: JSON = [
        "localId": "a", "email": "a@b.example", "passwordHash": .string(Base64.encode(hash)),
        "salt": .string(Base64.encode(salt)),
      ]
      #expect(try await upload(emulator, [row], wire).json == ["kind": Self.kind])
      func stored() async throws -> JSON? {
        try await emulator.asAdmin("GET", "v1/projects/demo-luath/accounts:batchGet")["users"]?[0]
      }
      let imported = try #require(try await stored()?["passwordHash"]?.string)
      #expect(Base64.decodeAnyAlphabet(imported) == hash)
      func signIn(_ password: String) async throws -> Fixture.Reply {
        try await emulator.call(
          .signInWithPassword, ["email": "a@b.example", "password": .string(password)])
      }
      #expect(try await signIn("wrong").error == "INVALID_LOGIN_CREDENTIALS")
      #expect(try await signIn("open sesame").status == 200)
      let own = try #require(try await stored()?["passwordHash"]?.string)
      #expect(own != imported)
      #expect(try await signIn("open sesame").status == 200)
      #expect(try await stored()?["passwordHash"]?.string == own)
    }
  }

  @Test func `hashes of an unknown algorithm refuse the upload, those of none are stored`()
    async throws
  {
    try await Fixture.run { emulator in
      let row: JSON = ["localId": "a", "email": "a@b.example", "passwordHash": "aGFzaA=="]
      #expect(try await upload(emulator, [row]).json == ["kind": Self.kind])
      let unknown = try await upload(emulator, [row], ["hashAlgorithm": "ROT13"])
      #expect(unknown.message == "INVALID_HASH_ALGORITHM")
      let readable: JSON = ["localId": "a", "passwordHash": "fakeHash:salt=s:password=readable"]
      let refused = try await upload(emulator, [["localId": "b"], readable])
      let message =
        "Invalid value at 'users[1].password' (TYPE_BYTES), Base64 decoding failed for "
        + #""fakeHash:salt=s:password=readable""#
      #expect(refused.message == message)
      #expect(
        refused["error"]?["details"]?[0]?["fieldViolations"] == [
          ["field": "users[1].password", "description": .string(message)]
        ])
    }
  }

  // MARK: Export

  @Test func `pages go through all accounts, and a full one has a token`() async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      let users = (1...5).map { JSON.object(["localId": .string("u\($0)")]) }
      _ = try await upload(emulator, .array(users))
      func page(_ query: String) async throws -> Fixture.Reply {
        try await emulator.asAdmin("GET", "v1/projects/demo-luath/accounts:batchGet?\(query)")
      }
      let first = try await page("maxResults=3")
      #expect(first["users"]?.array?.count == 3)
      #expect(first["nextPageToken"] == "u3")
      let last = try await page("maxResults=2&nextPageToken=u3")
      #expect(last["nextPageToken"] == "u5")
      let none = try await page("nextPageToken=u5")
      #expect(none["users"] == [])
      #expect(none["nextPageToken"] == nil)
      #expect(try await page("maxResults=-1")["users"]?.array?.count == 5)
      for wrong in ["many", "", "1.5"] {
        let refused = try await page("maxResults=\(wrong)")
        #expect(refused.message == "Invalid JSON payload received.  must be integer")
      }
    }
  }

  @Test func `only disabled accounts are deleted without force`() async throws {
    try await Fixture.run(rules: .compatible) { emulator in
      _ = try await upload(emulator, [["localId": "a"], ["localId": "b", "disabled": true]])
      let ids: JSON = ["x", "a", "b"]
      let reply = try await emulator.admin("accounts:batchDelete", ["localIds": ids])
      #expect(
        reply.json == [
          "errors": [
            [
              "index": 1, "localId": "a",
              "message": "NOT_DISABLED : Disable the account before batch deletion.",
            ]
          ]
        ])
      let forced = try await emulator.admin(
        "accounts:batchDelete", ["localIds": ids, "force": true])
      #expect(forced.json == [:])
      let many = JSON.array((0...1000).map { .string("\($0)") })
      let refused = try await emulator.admin("accounts:batchDelete", ["localIds": many])
      #expect(refused.error == "LOCAL_ID_LIST_EXCEEDS_LIMIT")
    }
  }

  // MARK: Query

  @Test func `production's queries know expressions, order, limit and offset`() async throws {
    try await Fixture.run { emulator in
      let users: JSON = [
        ["localId": "a", "email": "z@b.example", "createdAt": "3000"],
        ["localId": "b", "email": "y@b.example", "createdAt": "1000"],
        ["localId": "c", "email": "x@b.example", "createdAt": "2000"],
      ]
      _ = try await upload(emulator, users)
      func ids(_ query: JSON) async throws -> [String?] {
        let reply = try await emulator.admin("accounts:query", query)
        return (reply["userInfo"]?.array ?? []).map { $0["localId"]?.string }
      }
      #expect(try await ids(["sortBy": "USER_EMAIL"]) == ["c", "b", "a"])
      #expect(try await ids(["sortBy": "CREATED_AT", "order": "DESC"]) == ["a", "c", "b"])
      #expect(try await ids(["limit": "1", "offset": "1"]) == ["b"])
      #expect(try await ids(["expression": [["email": "Y@b.example"], ["userId": "a"]]]) == ["b"])
      let count = try await emulator.admin(
        "accounts:query", ["expression": [["userId": "nobody"]], "returnUserInfo": false])
      #expect(count["recordsCount"] == "0")
      #expect(try await ids(["expression": [[:]]]) == ["a", "b", "c"])
      #expect(try await emulator.admin("accounts:query", ["offset": "-1"]).status == 500)
    }
  }
}
