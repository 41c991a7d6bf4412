@testable import Batch
@testable import System
import Testing

/// The calls of an operation, what tells that they are done, and what takes them back.
@Suite struct OperationStepsTests {
  private static func account(_ uid: String, _ members: JSONObject = [:]) -> JSON {
    var account: JSONObject = ["localId": .string(uid)]
    for (name, value) in members.entries { account[name] = value }
    return .object(account)
  }

  private static func identity(_ provider: String, _ raw: String) -> JSON {
    [
      "providerId": .string(provider), "rawId": .string(raw), "federatedId": .string(raw),
      "displayName": "Somebody", "email": "a@corp.example", "photoUrl": "https://a.example/a.png",
    ]
  }

  private func images(_ accounts: JSON...) -> AccountImages {
    var images = AccountImages()
    for account in accounts { images[account["localId"]?.string ?? ""] = account }
    return images
  }

  private func fault(_ operation: Operation, _ accounts: AccountImages) -> String? {
    do throws(RowFailure) {
      _ = try operation.changes(for: accounts)
      return nil
    } catch {
      return error.code
    }
  }

  // MARK: Steps

  @Test func `a merge unlinks before it links, and ends with the mark`() throws {
    let loser = Self.account(
      "b",
      [
        "phoneNumber": "+15555550100", "customAttributes": #"{"role":"chief"}"#,
        "providerUserInfo": [
          Self.identity("google.com", "g"), Self.identity("yahoo.com", "y"),
          ["providerId": "password", "rawId": "b@corp.example"],
        ],
      ])
    let changes = try Operation.merge(survivor: "a", loser: "b", providers: nil).changes(
      for: images(Self.account("a"), loser))
    let bodies = changes.map { change -> JSONObject in
      if case .update(_, let body) = change { body } else { [:] }
    }
    #expect(changes.map(\.uid) == ["b", "a", "a", "a", "b"])
    #expect(bodies[0]["deleteProvider"] == ["google.com", "yahoo.com", "phone"])
    #expect(bodies[1]["linkProviderUserInfo"]?["rawId"] == "g")
    #expect(bodies[1]["linkProviderUserInfo"]?["federatedId"] == nil)
    #expect(bodies[2]["linkProviderUserInfo"]?["displayName"] == "Somebody")
    #expect(bodies[3]["phoneNumber"] == "+15555550100")
    #expect(bodies[4]["disableUser"] == true)
    let claims = try JSON.parse(bodies[4]["customAttributes"]?.string ?? "")
    #expect(claims == ["role": "chief", "luath:mergedInto": "a"])
  }

  @Test func `a merge moves only what it is told to, and no number the survivor has one of`() throws
  {
    let survivor = Self.account("a", ["phoneNumber": "+15555550199"])
    let loser = Self.account(
      "b",
      [
        "phoneNumber": "+15555550100",
        "providerUserInfo": [Self.identity("google.com", "g"), Self.identity("yahoo.com", "y")],
      ])
    let changes = try Operation.merge(survivor: "a", loser: "b", providers: ["yahoo.com", "phone"])
      .changes(for: images(survivor, loser))
    #expect(changes.count == 3)
    guard case .update("b", let body) = changes[0] else { throw Unexpected() }
    #expect(body["deleteProvider"] == ["yahoo.com"])
  }

  private struct Unexpected: Error {}

  @Test func `what cannot be merged is refused before anything is changed`() {
    let merged = Self.account("b", ["customAttributes": #"{"luath:mergedInto":"c"}"#])
    let both = [Self.identity("google.com", "1"), Self.identity("google.com", "2")]
    func merge(_ survivor: String = "a", _ loser: String = "b") -> Operation {
      .merge(survivor: survivor, loser: loser, providers: nil)
    }
    #expect(fault(merge("a", "a"), images(Self.account("a"))) == "sameAccount")
    #expect(fault(merge(), images(Self.account("a"))) == "userNotFound")
    #expect(fault(merge(), images(Self.account("b"))) == "userNotFound")
    #expect(fault(merge(), images(Self.account("a"), merged)) == "alreadyMerged")
    #expect(fault(merge("b", "a"), images(Self.account("a"), merged)) == "alreadyMerged")
    #expect(fault(merge("c", "b"), images(Self.account("c"), merged)) == nil)
    #expect(
      fault(
        merge(),
        images(
          Self.account("a", ["providerUserInfo": [both[0]]]),
          Self.account("b", ["providerUserInfo": [both[1]]]))) == "providerAlreadyLinked")
    let long = String(repeating: "x", count: 990)
    #expect(
      fault(
        merge(),
        images(
          Self.account("a"), Self.account("b", ["customAttributes": .string(#"{"x":"\#(long)"}"#)]))
      )
        == "claimsTooLarge")
  }

  @Test func `a link never takes the place of another identity`() {
    let account = Self.account("a", ["providerUserInfo": [Self.identity("microsoft.com", "1")]])
    #expect(fault(link("a", "2"), images(account)) == "providerAlreadyLinked")
    #expect(fault(link("a", "1"), images(account)) == nil)
    #expect(fault(link("a", "1", "yahoo.com"), images(account)) == nil)
    for operation in [
      link("x", "1"), .unlink(uid: "x", providerID: "yahoo.com"),
      .update(uid: "x", fields: ["disabled": true]), .linkAsUser(uid: "x", credential: [:]),
    ] {
      #expect(fault(operation, images(account)) == "userNotFound")
    }
  }

  // MARK: Done or not

  private static let states: [(JSONObject, JSONObject, Bool)] = [
    (["displayName": "Ada"], ["displayName": "Ada"], true),
    (["displayName": "Ada"], [:], false),
    (["email": "Ada@corp.example"], ["email": "ada@corp.example"], true),
    (["disableUser": false], [:], true), (["disableUser": true], [:], false),
    (["customAttributes": #"{"b":1,"a":2}"#], ["customAttributes": #"{"a":2,"b":1}"#], true),
    (["customAttributes": "{}"], [:], true),
    (["deleteAttribute": ["DISPLAY_NAME"]], ["displayName": ""], true),
    (["deleteAttribute": ["DISPLAY_NAME", "PHOTO_URL"]], ["photoUrl": "x"], false),
    (["deleteProvider": ["phone"]], ["phoneNumber": "+1555"], false),
    (["deleteProvider": ["phone", "yahoo.com"]], [:], true),
    (["password": "secret"], ["passwordHash": "x"], false),
    (["validSince": "5"], ["validSince": "7"], true), (["validSince": "5"], [:], false),
    (["mfa": ["enrollments": []]], [:], true),
    (["mfa": ["enrollments": []]], ["mfaInfo": [["phoneInfo": "+1555"]]], false),
    (
      ["linkProviderUserInfo": ["providerId": "yahoo.com", "rawId": "1"]],
      ["providerUserInfo": [["providerId": "yahoo.com", "rawId": "2"]]], false
    ),
  ]

  @Test(arguments: states)
  func `an update is done when the account shows it`(
    _ body: JSONObject, _ account: JSONObject, _ isDone: Bool
  ) {
    let change = Change.update(uid: "a", body: body)
    #expect(change.isDone(in: Self.account("a", account)) == isDone)
    #expect(!change.isDone(in: nil))
  }

  @Test func `a password is taken for set when it has changed since`() {
    let change = Change.update(uid: "a", body: ["password": "secret"])
    let before = Self.account("a", ["passwordHash": "x", "passwordUpdatedAt": 1])
    #expect(!change.isDone(in: before, since: before))
    #expect(
      change.isDone(
        in: Self.account("a", ["passwordHash": "x", "passwordUpdatedAt": 2]), since: before))
  }

  @Test func `an account is made when it has what it was to have, and gone when it is gone`() {
    let wanted: JSONObject = [
      "localId": "a", "email": "a@corp.example", "passwordHash": "x",
      "providerUserInfo": [Self.identity("yahoo.com", "1")],
    ]
    let found = Self.account(
      "a",
      [
        "email": "a@corp.example", "passwordHash": "y", "displayName": "Later",
        "providerUserInfo": [
          Self.identity("yahoo.com", "1"), ["providerId": "password", "rawId": "a@corp.example"],
        ],
      ])
    #expect(Change.create(account: wanted, hash: nil, overwrites: false).isDone(in: found))
    // What overwrites leaves nothing else.
    #expect(!Change.create(account: wanted, hash: nil, overwrites: true).isDone(in: found))
    #expect(!Change.create(account: wanted, hash: nil, overwrites: false).isDone(in: nil))
    #expect(Change.delete(uid: "a").isDone(in: nil))
    #expect(!Change.delete(uid: "a").isDone(in: found))
  }

  // MARK: Back again

  @Test func `an update's inverse puts back what was, and clears what was not`() throws {
    let before = Self.account(
      "a",
      [
        "email": "old@corp.example", "emailVerified": true, "displayName": "Old",
        "providerUserInfo": [Self.identity("yahoo.com", "1")],
      ])
    let change = Change.update(
      uid: "a",
      body: [
        "email": "new@corp.example", "displayName": "New", "photoUrl": "https://b.example",
        "customAttributes": #"{"a":1}"#, "deleteProvider": ["yahoo.com"], "disableUser": true,
        "password": "secret",
      ])
    let inverse = change.inverse(before: before, after: nil)
    #expect(inverse.changes.count == 2)
    guard case .update(_, let fields)? = inverse.changes.first,
      case .update(_, let link)? = inverse.changes.last
    else { throw Unexpected() }
    #expect(fields["email"] == "old@corp.example")
    #expect(fields["emailVerified"] == true)
    #expect(fields["displayName"] == "Old")
    #expect(fields["deleteAttribute"] == ["PHOTO_URL"])
    #expect(fields["customAttributes"] == "{}")
    #expect(fields["disableUser"] == false)
    #expect(link["linkProviderUserInfo"]?["rawId"] == "1")
    #expect(link["linkProviderUserInfo"]?["photoUrl"] == "https://a.example/a.png")
    #expect(inverse.lost.contains { $0.hasPrefix("password") })
  }

  @Test func `a link's inverse unlinks, or links what was there`() throws {
    let change = Change.update(
      uid: "a", body: ["linkProviderUserInfo": ["providerId": "yahoo.com", "rawId": "2"]])
    let without = change.inverse(before: Self.account("a"), after: nil)
    guard case .update(_, let body)? = without.changes.first else { throw Unexpected() }
    #expect(body["deleteProvider"] == ["yahoo.com"])
    let with = change.inverse(
      before: Self.account("a", ["providerUserInfo": [Self.identity("yahoo.com", "1")]]), after: nil
    )
    guard case .update(_, let old)? = with.changes.first else { throw Unexpected() }
    #expect(old["linkProviderUserInfo"]?["rawId"] == "1")
  }

  @Test func `a deleted account comes back whole, and what cannot is named`() throws {
    let image = Self.account(
      "a",
      [
        "email": "a@corp.example", "passwordHash": "aGFzaA", "salt": "c2FsdA",
        "passwordUpdatedAt": 1,
        "mfaInfo": [["phoneInfo": "+1555", "mfaEnrollmentId": "1"], ["mfaEnrollmentId": "2"]],
        "providerUserInfo": [
          Self.identity("yahoo.com", "1"), ["providerId": "password", "rawId": "a@corp.example"],
        ],
      ])
    let inverse = Change.delete(uid: "a").inverse(before: image, after: nil)
    guard case .create(let account, nil, false)? = inverse.changes.first else { throw Unexpected() }
    #expect(account["passwordHash"] == "aGFzaA")
    #expect(account["passwordUpdatedAt"] == nil)
    #expect(account["providerUserInfo"]?.array?.count == 1)
    #expect(account["mfaInfo"]?.array?.count == 1)
    #expect(inverse.lost.contains { $0.hasPrefix("authenticator apps") })
    #expect(Change.delete(uid: "a").inverse(before: nil, after: nil).changes.isEmpty)
  }

  @Test func `what somebody has changed since is known`() {
    let change = Change.update(uid: "a", body: ["displayName": "New"])
    let before = Self.account("a", ["displayName": "Old"])
    #expect(
      !change.hasChangedSince(before: before, now: Self.account("a", ["displayName": "New"])))
    #expect(change.hasChangedSince(before: before, now: Self.account("a", ["displayName": "Own"])))
    #expect(change.hasChangedSince(before: before, now: nil))
    let creation = Change.create(account: ["localId": "a"], hash: nil, overwrites: false)
    #expect(!creation.hasChangedSince(before: nil, now: Self.account("a")))
    // Whoever has signed in uses it.
    #expect(creation.hasChangedSince(before: nil, now: Self.account("a", ["lastLoginAt": "5"])))
  }
}
