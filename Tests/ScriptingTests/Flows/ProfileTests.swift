@testable import System
@testable import OIDC
import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct ProfileTests {
  // S24
  @Test func `the claims that rules see verify against the published keys`() async throws {
    let (answer, _) = try await Flow().answer(
      of: """
        local user = auth:signIn(provider("microsoft.com", "ada@contoso.example")).user
        user:link(provider("google.com", "ada@contoso.example"))
        user:updateProfile { displayName = "Ada, Countess", photoURL = "https://photo.example/a?b=c" }
        local keys = http.get("https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com")
        local names = {}
        for _, info in ipairs(user.providerData) do names[info.providerID] = info.uid end
        flows.answer { token = user:getIDToken(true), keys = keys:json(), uid = user.uid, names = names }
        """)
    let token = try JWT(decoding: answer["token"]?.string ?? "")
    let keys = try KeySet(json: answer["keys"] ?? .null)
    try token.verify(keys, algorithms: [.rs256])
    let uid = try #require(answer["uid"]?.string)
    let claims = token.claims
    #expect(claims["iss"]?.string == "https://securetoken.google.com/demo-luath")
    #expect(claims["aud"]?.string == "demo-luath")
    #expect(claims["sub"]?.string == uid && claims["user_id"]?.string == uid)
    #expect(claims["email"]?.string == "ada@contoso.example")
    #expect(claims["email_verified"]?.bool == true, "Google vouches for it")
    #expect(claims["name"]?.string == "Ada, Countess")
    #expect(claims["picture"]?.string == "https://photo.example/a?b=c")
    let firebase = claims["firebase"]
    #expect(firebase?["sign_in_provider"]?.string == "google.com", "the last proof")
    for id in ["microsoft.com", "google.com"] {
      let identity = try #require(answer["names"]?[id])
      #expect(firebase?["identities"]?[id] == [identity])
    }
    #expect(firebase?["identities"]?["email"] == ["ada@contoso.example"])
    let (issued, expires) = (claims["iat"]?.integer ?? 0, claims["exp"]?.integer ?? 0)
    #expect(expires == issued + 3600 && (claims["auth_time"]?.integer ?? 0) <= issued)
    // Nobody else's keys open it, and no changed claim.
    let forged = try #require(answer["token"]?.string).split(separator: ".")
    let other = try JWT(
      decoding: "\(forged[0]).\(Base64URL.encode(Array(#"{"sub":"x"}"#.utf8))).\(forged[2])")
    #expect(throws: JOSEError.self) { try other.verify(keys, algorithms: [.rs256]) }
    #expect(throws: JOSEError.self) {
      try token.verify(
        try KeySet(json: ["keys": [.object(SigningKey.generate().publicJWK)]]), algorithms: [.rs256]
      )
    }
  }

  // S24
  @Test func `a profile is changed field by field and cleared`() async throws {
    try await Flow().run(
      """
      local user = auth:signIn(provider("yahoo.com", "yuki@yahoo.example")).user
      equal(user.displayName, "Yuki Tanaka")
      user:updateProfile { displayName = "Yuki 雪 \\u{1F600}" }
      equal(user.displayName, "Yuki 雪 \\u{1F600}")
      equal(user.photoURL, "https://s.yimg.example/yuki.png")
      user:updateProfile { photoURL = false }
      equal(user.photoURL, nil)
      equal(user.displayName, "Yuki 雪 \\u{1F600}")
      user:updateProfile { displayName = "", photoURL = "https://photo.example/y" }
      equal(user.displayName, nil)
      equal(user.photoURL, "https://photo.example/y")
      user:updateProfile {}
      -- The provider's own profile stays as it is.
      equal(way(user, "yahoo.com").displayName, "Yuki Tanaka")
      equal(way(user, "yahoo.com").photoURL, "https://s.yimg.example/yuki.png")
      equal(way(user, "yahoo.com").email, "yuki@yahoo.example")
      local again = auth:signIn(provider("yahoo.com", "yuki@yahoo.example")).user
      equal(again.photoURL, "https://photo.example/y")
      mistake("displayName", user.updateProfile, user, { displayName = true })
      mistake("displayname", user.updateProfile, user, { displayname = "x" })
      """)
  }

  // S24 S26
  @Test func `an account with a password is made, found and refused`() async throws {
    try await Flow().run(
      """
      local result = auth:createUser("Ada@Contoso.example", "correct horse")
      equal(result.additionalUserInfo.isNewUser, true)
      equal(result.additionalUserInfo.providerID, "password")
      equal(result.credential, nil)
      equal(result.user.email, "ada@contoso.example")
      equal(result.user.isEmailVerified, false)
      equal(ways(result.user), "password")
      local metadata = result.user.metadata
      assert(math.type(metadata.creationDate) == "integer" and metadata.creationDate > 1.6e12)
      assert(math.type(metadata.lastSignInDate) == "integer")
      local token = result.user:getIDTokenResult()
      equal(token.signInProvider, "password")
      equal(token.claims.email_verified, false)
      local again = auth:signInWithEmail("ada@contoso.example", "correct horse")
      equal(again.additionalUserInfo.isNewUser, false)
      equal(again.user.uid, result.user.uid)
      refused("emailAlreadyInUse", auth.createUser, auth, "ada@contoso.example", "correct horse")
      refused("weakPassword", auth.createUser, auth, "b@contoso.example", "five5")
      refused("weakPassword", auth.createUser, auth, "b@contoso.example", "")
      refused("missingEmail", auth.createUser, auth, "", "correct horse")
      refused("missingEmail", auth.signIn, auth, { email = "", password = "x" })
      mistake("email and password", auth.signIn, auth, {})
      mistake("email and password", auth.signIn, auth, { email = "a@b.example" })
      mistake("not both", auth.signIn, auth, { email = "a@b.example", password = "x", customToken = "x" })
      refused("invalidEmail", auth.createUser, auth, "not an address", "correct horse")
      refused("wrongPassword", auth.signIn, auth, { email = "ada@contoso.example", password = "" })
      equal(auth.currentUser.uid, result.user.uid)
      """)
  }

  // S25
  @Test func `signing out is local and harmless`() async throws {
    let trace = try await Flow().run(
      """
      auth:signOut()
      local user = auth:signIn(provider("microsoft.com", "ada@contoso.example")).user
      http.get(emulator.origin .. "/before")
      auth:signOut()
      equal(auth.currentUser, nil)
      auth:signOut()
      http.get(emulator.origin .. "/after")
      -- Nothing was revoked: the tokens of the user object still open the account.
      user:reload()
      equal(user.email, "ada@contoso.example")
      equal(auth.currentUser, nil)
      equal(auth:signIn(provider("microsoft.com", "ada@contoso.example")).user.uid, user.uid)
      """)
    let before = try #require(trace.firstIndex { $0.contains("before") })
    let after = try #require(trace.firstIndex { $0.contains("after") })
    #expect(after == before + 1, "requests while signing out")
  }

  // S25
  @Test func `signing out without an Auth is a mistake in words`() async throws {
    try await Flow().run(
      """
      mistake("calling 'signOut' on bad self %(Auth expected, got no value", auth.signOut)
      mistake("calling 'signOut' on bad self %(Auth expected, got table", auth.signOut, {})
      """)
  }

  // S24 S26
  @Test func `a failed sign-in leaves the current user`() async throws {
    try await Flow().run(
      """
      local uid = auth:signIn(provider("google.com", "ada@contoso.example")).user.uid
      refused("invalidCredential", auth.signIn, auth, { email = "nobody@contoso.example", password = "correct horse" })
      refused("operationNotAllowed", auth.signIn, auth, Auth.OAuthProvider "oidc.unknown")
      refused("webContextCancelled", auth.signIn, auth, Auth.OAuthProvider "microsoft.com", function() end)
      equal(auth.currentUser.uid, uid)
      -- And a good one replaces them, even by somebody anonymous.
      local other = auth:signInAnonymously().user
      assert(other.uid ~= uid)
      equal(auth.currentUser.uid, other.uid)
      """)
  }

  // S24
  @Test func `sessions know different people`() async throws {
    try await Flow().run(
      """
      local one, two = Auth.session(), Auth.session()
      one:signIn { email = one:createUser("a@b.example", "correct horse").user.email, password = "correct horse" }
      two:signIn(provider("microsoft.com", "ada@contoso.example"))
      assert(one.currentUser.uid ~= two.currentUser.uid)
      equal(auth.currentUser, nil)
      one:signOut()
      assert(two.currentUser)
      """)
  }

  // S24 S26
  @Test func `an address is changed where the project allows it`() async throws {
    try await Flow().run(
      """
      auth:createUser("taken@b.example", "correct horse")
      local user = auth:createUser("a@b.example", "correct horse").user
      local err = refused("operationNotAllowed", user.updateEmail, user, "b@b.example")
      assert(err.message:find("verify", 1, true), tostring(err))
      emulator.configure { enumerationProtection = false }
      refused("invalidEmail", user.updateEmail, user, "b")
      refused("missingEmail", user.updateEmail, user, "")
      equal(refused("emailAlreadyInUse", user.updateEmail, user, "taken@b.example").email, "taken@b.example")
      user:updateEmail "b@b.example"
      equal(user.email, "b@b.example")
      equal(user:getIDTokenResult().claims.email, "b@b.example")
      refused("weakPassword", user.updatePassword, user, "five5")
      refused("weakPassword", user.updatePassword, user, "")
      refused("userNotFound", auth.signIn, auth, { email = "a@b.example", password = "correct horse" })
      """)
  }
}
