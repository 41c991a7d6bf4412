@testable import Emulator
@testable import System
import Testing

/// Bodies as Google's servers read them: JSON of protocol buffers.
@Suite(.timeLimit(.minutes(1)))
struct ProtobufBodyTests {
  @Test func `values of other kinds count for what they mean`() async throws {
    try await Fixture.run { emulator in
      _ = try await emulator.admin("accounts", ["localId": "42", "email": "a@b.example"])
      // One value is a list of one, a number a text, and null nothing.
      let found = try await emulator.admin(
        "accounts:lookup", ["local_id": 42, "email": .null, "phoneNumber": [.null]])
      #expect(found["users"]?[0]?["localId"] == "42")
      for (flag, means) in [("yes", true), ("F", false), (1, true), (0, false)] as [(JSON, Bool)] {
        let changed = try await emulator.admin(
          "accounts:update", ["localId": "42", "disableUser": flag])
        #expect(changed.status == 200, "\(flag)")
        let user = try await emulator.admin("accounts:lookup", ["localId": "42"])["users"]?[0]
        #expect(user?["disabled"] == .bool(means), "\(flag)")
      }
      #expect(try await emulator.lookup(42).error == "INVALID_ID_TOKEN")
      let query = try await emulator.admin("accounts:query", ["limit": "1.0", "order": 2])
      #expect(query["recordsCount"] == "1")
    }
  }

  @Test(arguments: [("v1", "accounts:batchGet?maxResults"), ("v2", "tenants?pageSize")])
  func `a number of a query that is none is refused by its name`(
    _ version: String, _ path: String
  ) async throws {
    try await Fixture.run { emulator in
      let name = path.hasSuffix("Results") ? "max_results" : "page_size"
      for wrong in ["many", "1.5", "99999999999"] {
        let reply = try await emulator.asAdmin(
          "GET", "\(version)/projects/demo-luath/\(path)=\(wrong)")
        #expect(reply.status == 400)
        #expect(reply.message == "Invalid value at '\(name)' (TYPE_INT32), \"\(wrong)\"")
      }
      let empty = try await emulator.asAdmin("GET", "\(version)/projects/demo-luath/\(path)=")
      #expect(empty.status == 200)
    }
  }

  @Test(
    arguments: [
      (
        "v1/projects/demo-luath/accounts:query", ["sortBy": "SIZE"], "sort_by",
        "Invalid value at 'sort_by' (type.googleapis.com/google.cloud.identitytoolkit.v1."
          + #"QueryUserInfoRequest.SortByField), "SIZE""#
      ),
      (
        "v1/projects/demo-luath/accounts:update",
        ["localId": "a", "deleteAttribute": ["EMAIL", "HAT"]],
        "delete_attribute[1]",
        "Invalid value at 'delete_attribute[1]' (type.googleapis.com/google.cloud.identitytoolkit.v1."
          + #"SetAccountInfoRequest.UserAttributeName), "HAT""#
      ),
      (
        "v1/projects/demo-luath/accounts:batchCreate",
        ["users": [["localId": "a", "createdAt": "yesterday"]]], "users[0].created_at",
        #"Invalid value at 'users[0].created_at' (TYPE_INT64), "yesterday""#
      ),
      (
        "v1/projects/demo-luath/accounts", ["email": ["a"]], nil,
        #"Invalid JSON payload received. Unknown name "email": Proto field is not repeating, "#
          + "cannot start list."
      ),
      (
        "v1/projects/demo-luath/accounts", ["email": true], "email",
        "Invalid value at 'email' (TYPE_STRING), true"
      ),
      (
        "v2/accounts/mfaEnrollment:start",
        ["idToken": "x", "totpEnrollmentInfo": [:], "phoneEnrollmentInfo": [:]], nil,
        "Invalid value (oneof), oneof field 'enrollment_info' is already set. Cannot set "
          + "'phoneEnrollmentInfo'"
      ),
      (
        "v2/accounts/mfaEnrollment:start", [], nil,
        #"Invalid JSON payload received. Unknown name "": Root element must be a message."#
      ),
      (
        "v2/projects/demo-luath/tenants", ["displayName": "Some", "colour": "red"], "tenant",
        #"Invalid JSON payload received. Unknown name "colour" at 'tenant': Cannot find field."#
      ),
    ] as [(String, JSON, String?, String)])
  func `a value that a field cannot have is refused by the field's own name`(
    path: String, body: JSON, field: String?, message: String
  ) async throws {
    try await Fixture.run { emulator in
      let reply = try await emulator.asAdmin("POST", path, body)
      let error = try #require(reply["error"])
      #expect(reply.status == 400 && error["message"]?.string == message)
      #expect(error["status"] == "INVALID_ARGUMENT")
      var violation: JSONObject = ["description": .string(message)]
      violation["field"] = field.map(JSON.string)
      #expect(
        error["details"] == [
          [
            "@type": "type.googleapis.com/google.rpc.BadRequest",
            "fieldViolations": [.object(violation)],
          ]
        ])
      // The first version repeats the message in a list, the second has none.
      let first: JSON? = [["message": .string(message), "reason": "invalid"]]
      #expect(error["errors"] == (path.hasPrefix("v1") ? first : nil))
    }
  }

  @Test func `every fault of a body is named`() async throws {
    try await Fixture.run { emulator in
      let reply = try await emulator.admin(
        "accounts:update", ["disableUser": "perhaps", "localId": [], "createdAt": 1.5])
      #expect(
        reply.message.split(separator: "\n") == [
          #"Invalid value at 'disable_user' (TYPE_BOOL), "perhaps""#,
          #"Invalid JSON payload received. Unknown name "localId": Proto field is not repeating, "#
            + "cannot start list.",
          "Invalid value at 'created_at' (TYPE_INT64), 1.5",
        ])
    }
  }
}
