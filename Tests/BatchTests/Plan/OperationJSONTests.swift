@testable import System
import Testing

@testable import Batch

@Suite(.timeLimit(.minutes(1))) struct OperationJSONTests {
  /// Every operation as a script may write it, and as the plan file then has it where that differs.
  static let written: [(JSON, JSON?)] = [
    (
      [
        "op": "link", "uid": "ada", "providerId": "microsoft.com", "rawId": "m-1",
        "email": "ada@example.com", "displayName": "Ada", "photoUrl": "https://example.com/a.png",
      ], nil
    ),
    (["op": "unlink", "uid": "ada", "providerId": "yahoo.com"], nil),
    (["op": "merge", "survivor": "ada", "loser": "bo"], nil),
    (["op": "merge", "survivor": "ada", "loser": "bo", "providers": ["google.com"]], nil),
    // Lua has one empty table for lists and tables.
    (
      ["op": "merge", "survivor": "ada", "loser": "bo", "providers": [:]],
      ["op": "merge", "survivor": "ada", "loser": "bo", "providers": []]
    ),
    (
      [
        "op": "update", "uid": "ada",
        "fields": [
          "email": "a@example.com", "emailVerified": true, "phoneNumber": false,
          "password": "correct horse", "displayName": false, "photoURL": "https://example.com/p",
          "disabled": false, "customClaims": ["role": "admin"],
        ],
      ], nil
    ),
    (
      ["op": "setClaims", "uid": "ada", "claims": ["role": "admin"]], nil
    ),
    (
      ["op": "setClaims", "uid": "ada", "claims": false], nil
    ),
    (["op": "setEmail", "uid": "ada", "email": "a@example.com"], nil),
    (["op": "setEmail", "uid": "ada", "email": "a@example.com", "verified": true], nil),
    (["op": "disable", "uid": "ada"], nil), (["op": "enable", "uid": "ada"], nil),
    (
      [
        "op": "import", "account": ["uid": "ada", "email": "a@example.com", "passwordHash": "YQ"],
        "hash": ["algorithm": "BCRYPT"],
      ], nil
    ),
    (["op": "import", "account": ["uid": "ada"]], nil),
    (["op": "import", "account": ["uid": "ada", "passwordHash": "fakeHash:salt=x"]], nil),
    (["op": "delete", "uid": "ada"], nil),
    (
      [
        "op": "linkAsUser", "uid": "ada", "providerId": "google.com", "idToken": "t", "nonce": "n",
      ], nil
    ),
    (["op": "crm", "uid": "ada", "arguments": ["id": 7]], nil),
    (["op": "crm"], nil),
  ]

  @Test(arguments: written) func `an operation is read as it was written`(
    given: JSON, kept: JSON?
  ) throws {
    let operation = try Operation(json: given)
    #expect(operation.json == kept ?? given)
    #expect(try Operation(json: operation.json).json == operation.json)
    #expect(operation.name == operation.json["op"]?.string)
    #expect(
      Operation.names.contains(operation.name) || operation.name == "crm",
      "a name that is not listed")
  }

  static let refused: [(JSON, String)] = [
    ("link", "an operation must be a table with a member 'op'"),
    (
      ["uid": "ada"],
      "an operation has no 'op': it names one of link, unlink, merge, update, setClaims, setEmail, "
        + "disable, enable, import, delete, linkAsUser, or a custom operation"
    ),
    (["op": "link", "providerId": "google.com", "rawId": "1"], "link: uid is missing"),
    (["op": "link", "uid": "", "providerId": "google.com", "rawId": "1"], "link: uid is empty"),
    (
      ["op": "link", "uid": 7, "providerId": "google.com", "rawId": "1"],
      "link: uid must be a string"
    ),
    (["op": "link", "uid": "ada", "rawId": "1"], "link: providerId is missing"),
    (["op": "link", "uid": "ada", "providerId": "google.com"], "link: rawId is missing"),
    (
      ["op": "link", "uid": "ada", "providerId": "google.com", "rawId": 1],
      "link: rawId must be a string"
    ),
    (
      ["op": "link", "uid": "ada", "providerID": "google.com", "rawId": "1"],
      "link: there is no member 'providerID'; did you mean 'providerId'?"
    ),
    (
      ["op": "unlink", "uid": "ada", "because": "x"],
      "unlink: there is no member 'because'; there are op, uid, providerId"
    ),
    (
      ["op": "link", "uid": "ada", "providerId": "password", "rawId": "a@example.com"],
      "link: providerId cannot be password: set email and password with 'update' instead"
    ),
    (
      ["op": "link", "uid": "ada", "providerId": "phone", "rawId": "+1"],
      "link: providerId cannot be phone: set phoneNumber with 'update' instead"
    ),
    (
      ["op": "link", "uid": "ada", "providerId": "email", "rawId": "a@example.com"],
      "link: providerId cannot be email: use 'setEmail' instead"
    ),
    (
      ["op": "merge", "survivor": "ada", "loser": "ada"],
      "merge: survivor and loser are the same account"
    ),
    (
      ["op": "merge", "survivor": "ada", "loser": "bo", "providers": "google.com"],
      "merge: providers must be a list of strings"
    ),
    (
      ["op": "merge", "survivor": "ada", "loser": "bo", "providers": [1]],
      "merge: providers must be a list of strings that are not empty"
    ),
    (
      ["op": "merge", "survivor": "ada", "loser": "bo", "providers": ["password"]],
      "merge: providers cannot name password: the survivor keeps its own"
    ),
    (["op": "update", "uid": "ada"], "update: fields is missing"),
    (
      ["op": "update", "uid": "ada", "fields": ["a", "b"]],
      "update: fields must be a table with names"
    ),
    (
      ["op": "update", "uid": "ada", "fields": []],
      "update: fields is empty: name at least one of email, emailVerified, phoneNumber, password, "
        + "displayName, photoURL, disabled, customClaims"
    ),
    (
      ["op": "update", "uid": "ada", "fields": ["photoUrl": "x"]],
      "update: fields: there is no member 'photoUrl'; did you mean 'photoURL'?"
    ),
    (
      ["op": "update", "uid": "ada", "fields": ["disabled": "yes"]],
      "update: disabled must be true or false"
    ),
    (
      ["op": "update", "uid": "ada", "fields": ["password": 7]],
      "update: password must be a string, or false to clear it"
    ),
    (["op": "setClaims", "uid": "ada"], "setClaims: claims is missing"),
    (["op": "setEmail", "uid": "ada"], "setEmail: email is missing"),
    (
      ["op": "setEmail", "uid": "ada", "email": "a@example.com", "verified": "no"],
      "setEmail: verified must be true or false"
    ),
    (
      ["op": "disable", "uid": "ada", "disabled": true],
      "disable: there is no member 'disabled'; there are op, uid"
    ),
    (["op": "import", "account": ["email": "a@example.com"]], "import: uid is missing"),
    (
      ["op": "import", "account": ["uid": "ada", "passwordHash": "c2VjcmV0"]],
      "import: the account has a passwordHash, and hash does not name its algorithm"
    ),
    (
      ["op": "import", "account": ["uid": "ada"], "hash": ["algorithm": "BCRIPT"]],
      "import: hash.algorithm is none of ARGON2, BCRYPT, HMAC_MD5, HMAC_SHA1, HMAC_SHA256, "
        + "HMAC_SHA512, MD5, PBKDF2_SHA256, PBKDF_SHA1, SCRYPT, SHA1, SHA256, SHA512, "
        + "STANDARD_SCRYPT; did you mean BCRYPT?"
    ),
    (
      ["op": "linkAsUser", "uid": "ada", "providerId": "google.com", "nonce": "n"],
      "linkAsUser: one of idToken, accessToken, pendingToken is needed"
    ),
    (
      ["op": "luath:finalize", "survivor": "ada", "loser": "bo"],
      "luath:finalize: only luath's own commands make this operation"
    ),
    (
      ["op": "crm", "id": 7],
      "crm: there is no member 'id'; did you mean 'uid'?"
    ),
  ]

  @Test(arguments: refused) func `what is no operation is refused by name`(
    json: JSON, message: String
  ) throws {
    let fault = try #require(throws: RowFailure.self) { try Operation(json: json) }
    #expect(fault == RowFailure("invalidOperation", message))
  }

  @Test func `claims that no account may have are refused with the admin's code`() throws {
    for claims: JSON in [["iss": "me"], ["a": .string(String(repeating: "x", count: 1000))], "x"] {
      let fault = try #require(throws: RowFailure.self) {
        try Operation(json: ["op": "setClaims", "uid": "ada", "claims": claims])
      }
      #expect(fault.code == "invalidClaims")
    }
  }

  @Test func `an id that is too long has a code of its own`() throws {
    let uid = JSON.string(String(repeating: "u", count: 129))
    for json: JSON in [
      ["op": "delete", "uid": uid], ["op": "import", "account": ["uid": uid]],
    ] {
      let fault = try #require(throws: RowFailure.self) { try Operation(json: json) }
      #expect(fault.code == "invalidId")
      #expect(fault.message.hasSuffix("uid has 129 characters, and a uid has at most 128"))
    }
  }

  @Test func `no fault quotes a value`() {
    let secret = "hunter22"
    let faulty: [JSON] = [
      ["op": "update", "uid": "ada", "fields": ["password": [.string(secret)]]],
      ["op": "linkAsUser", "uid": "ada", "providerId": "g", "idToken": [.string(secret)]],
      ["op": "import", "account": ["uid": "ada", "passwordHash": .string(secret + "%")]],
    ]
    for json in faulty {
      let fault = #expect(throws: RowFailure.self) { try Operation(json: json) }
      #expect(fault?.message.contains(secret) == false)
    }
  }
}
