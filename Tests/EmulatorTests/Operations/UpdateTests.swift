@testable import Emulator
@testable import System
@testable import IdentityToolkit
import Testing

@Suite(.timeLimit(.minutes(1)))
struct UpdateTests {
  private func update(_ emulator: Fixture, _ token: JSON?, _ body: JSONObject) async throws
    -> Fixture.Reply
  {
    var body = body
    body["idToken"] = token
    return try await emulator.call(.update, .object(body))
  }

  @Test func `a profile can be set and cleared again`() async throws {
    try await Fixture.run { emulator in
      let token = try await emulator.signUp("ada@b.example")["idToken"]
      let set = try await update(
        emulator, token, ["displayName": "Ada", "photoUrl": "https://p.example/a.png"])
      #expect(set["displayName"] == "Ada")
      #expect(set["idToken"] == nil)
      let cleared = try await update(
        emulator, token, ["deleteAttribute": ["DISPLAY_NAME", "PHOTO_URL"]])
      #expect(cleared["displayName"] == nil)
      let user = try await emulator.user(token)
      #expect(user["photoUrl"] == nil)
    }
  }

  @Test func `a new password kills the old tokens and hands out new ones`() async throws {
    try await Fixture.run { emulator in
      let made = try await emulator.signUp("ada@b.example")
      let reply = try await update(
        emulator, made["idToken"], ["password": "battery staple", "returnSecureToken": true])
      #expect(reply.status == 200 && reply["refreshToken"] != nil)
      #expect(try await emulator.lookup(made["idToken"]).error == "TOKEN_EXPIRED")
      #expect(try await emulator.lookup(reply["idToken"]).status == 200)
      let refresh = try await emulator.call(
        .token, ["grantType": "refresh_token", "refreshToken": made["refreshToken"] ?? .null])
      #expect(refresh.error == "TOKEN_EXPIRED")
      let old: JSON = ["email": "ada@b.example", "password": "correct horse"]
      #expect(
        try await emulator.call(.signInWithPassword, old).error == "INVALID_LOGIN_CREDENTIALS")
    }
  }

  /// SDKs refuse a token that says it was issued later than now, or before the account's `validSince`.
  @Test func `changes within one second end older sessions, and no token is of the future`()
    async throws
  {
    try await Fixture.run { emulator in
      var made = try await emulator.signUp("ada@b.example")
      for number in 1...3 {
        let next = try await update(
          emulator, made["idToken"],
          ["password": .string("battery staple \(number)"), "returnSecureToken": true])
        #expect(next.status == 200)
        let claims = try emulator.claims(next["idToken"])
        #expect(claims["iat"] == .integer(emulator.clock.seconds))
        let refused = try await emulator.call(.lookup, ["idToken": made["idToken"] ?? .null])
        #expect(refused.error == "TOKEN_EXPIRED")
        let user = try await emulator.call(.lookup, ["idToken": next["idToken"] ?? .null])[
          "users"]?[0]
        #expect(user?["validSince"] == .string(String(emulator.clock.seconds)))
        made = next
      }
    }
  }

  @Test func `a password change needs a sign-in of the last five minutes`() async throws {
    try await Fixture.run { emulator in
      let made = try await emulator.signUp("ada@b.example")
      emulator.clock.advance(bySeconds: 299)
      let soon = try await update(
        emulator, made["idToken"], ["password": "battery staple", "returnSecureToken": true])
      #expect(soon.status == 200)
      // The change ends every session that began before it, so the new tokens' session begins with it.
      let began = try emulator.claims(soon["idToken"])["auth_time"]
      #expect(began == .integer(emulator.clock.seconds))
      emulator.clock.advance(bySeconds: 301)
      let late = try await update(emulator, soon["idToken"], ["password": "another one"])
      #expect(late.error == "CREDENTIAL_TOO_OLD_LOGIN_AGAIN")
      let name = try await update(emulator, soon["idToken"], ["displayName": "Ada"])
      #expect(name.status == 200)
    }
  }

  @Test func `with enumeration protection an address cannot be changed unverified`() async throws {
    try await Fixture.run { emulator in
      let token = try await emulator.signUp("ada@b.example")["idToken"]
      let reply = try await update(emulator, token, ["email": "new@b.example"])
      #expect(reply.error == "OPERATION_NOT_ALLOWED")
      #expect(reply.message.contains("verify the new email"))
      #expect(try await update(emulator, token, ["email": "nonsense"]).error == "INVALID_EMAIL")
      // Not even the account's own address may be sent.
      let own = try await update(emulator, token, ["email": "ada@b.example"])
      #expect(own.error == "OPERATION_NOT_ALLOWED")
    }
  }

  @Test func `without it the address changes and loses its verification`() async throws {
    try await Fixture.run({ $0.enumerationProtection = false }) { emulator in
      _ = try await emulator.signUp("taken@b.example")
      let token = try await emulator.signUp("ada@b.example")["idToken"]
      #expect(
        try await update(emulator, token, ["email": "taken@b.example"]).error == "EMAIL_EXISTS")
      #expect(try await update(emulator, token, ["email": "nonsense"]).error == "INVALID_EMAIL")
      let reply = try await update(
        emulator, token, ["email": "New@b.example", "returnSecureToken": true])
      #expect(reply["email"] == "new@b.example")
      let user = try await emulator.user(reply["idToken"])
      #expect(user["emailVerified"] == false)
      #expect(user["initialEmail"] == "ada@b.example")
      // The old address is free again.
      _ = try await emulator.signUp("ada@b.example")
    }
  }

  @Test func `unlinking the password keeps the address`() async throws {
    try await Fixture.run { emulator in
      let token = try await emulator.signUp("ada@b.example")["idToken"]
      let reply = try await update(emulator, token, ["deleteProvider": ["password"]])
      #expect(reply.status == 200 && reply["providerUserInfo"] == nil)
      #expect(try await emulator.user(token)["email"] == "ada@b.example")
    }
  }

  @Test func `what belongs to an administrator is refused to a user, or ignored`() async throws {
    try await Fixture.run { emulator in
      let token = try await emulator.signUp("ada@b.example")["idToken"]
      let claims: JSONObject = ["customAttributes": "{\"admin\":true}"]
      #expect(try await update(emulator, token, claims).error == "INSUFFICIENT_PERMISSION")
      // A token that is none comes before what it may not do.
      #expect(try await update(emulator, "x", claims).error == "INVALID_ID_TOKEN")
      let disabling = try await update(emulator, token, ["disableUser": true])
      #expect(disabling.error == "OPERATION_NOT_ALLOWED")
      let ignored = try await update(emulator, token, ["emailVerified": true])
      #expect(ignored["emailVerified"] == false && ignored["idToken"] == nil)
      let long = try await update(
        emulator, token, ["displayName": .string(String(repeating: "x", count: 257))])
      #expect(long.message == "INVALID_PROFILE_ATTRIBUTE : Display name too long.")
      // The time that is sent does not count: every token of before ends now.
      let ended = try await update(emulator, token, ["validSince": "1700000000"])
      #expect(ended.status == 200 && ended["idToken"] != nil && ended["refreshToken"] == nil)
      #expect(try await emulator.lookup(token).error == "TOKEN_EXPIRED")
    }
  }

  @Test func `an administrator sets claims, verifies addresses and revokes tokens`() async throws {
    try await Fixture.run { emulator in
      let made = try await emulator.signUp("ada@b.example")
      let uid = made["localId"] ?? .null
      let reply = try await emulator.admin(
        "accounts:update",
        ["localId": uid, "customAttributes": "{\"role\":\"queen\"}", "emailVerified": true])
      #expect(reply.status == 200)
      let fresh = try await emulator.call(
        .signInWithPassword,
        ["email": "ada@b.example", "password": "correct horse", "returnSecureToken": true])
      let claims = try emulator.claims(fresh["idToken"])
      #expect(claims["role"] == "queen")
      #expect(claims["email_verified"] == true)
      _ = try await emulator.admin(
        "accounts:update",
        ["localId": uid, "validSince": .string(String(emulator.clock.seconds + 1))])
      #expect(try await emulator.lookup(fresh["idToken"]).error == "TOKEN_EXPIRED")
      let forbidden = try await emulator.admin(
        "accounts:update", ["localId": uid, "customAttributes": "{\"iss\":1}"])
      #expect(forbidden.error == "FORBIDDEN_CLAIM")
    }
  }

  @Test func `a request that says nobody is refused`() async throws {
    try await Fixture.run { emulator in
      #expect(try await emulator.call(.update, ["displayName": "x"]).error == "MISSING_ID_TOKEN")
      let none = try await emulator.admin("accounts:update", ["displayName": "x"])
      #expect(none.error == "MISSING_LOCAL_ID")
      let unknown = try await emulator.admin("accounts:update", ["localId": "x"])
      #expect(unknown.error == "USER_NOT_FOUND")
    }
  }
}

extension UpdateTests {
  @Test func `an identity is an administrator's to give, and nobody's to take`() async throws {
    try await Fixture.run { emulator in
      let ada = try await emulator.signUp("ada@b.example")
      let bob = try await emulator.signUp("bob@b.example")
      let identity: JSON = ["providerId": "google.com", "rawId": "g-1"]
      let own = try await emulator.call(
        .update, ["idToken": ada["idToken"] ?? .null, "linkProviderUserInfo": identity])
      #expect(own.error == "UNEXPECTED_PARAMETER")
      for _ in 0..<2 {
        let given = try await emulator.admin(
          "accounts:update",
          ["localId": ada["localId"] ?? .null, "linkProviderUserInfo": identity])
        #expect(given.status == 200, "\(given.message)")
      }
      let taken = try await emulator.admin(
        "accounts:update", ["localId": bob["localId"] ?? .null, "linkProviderUserInfo": identity])
      #expect(taken.error == "FEDERATED_USER_ID_ALREADY_LINKED")
    }
  }
}
