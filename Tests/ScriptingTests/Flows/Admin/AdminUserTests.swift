import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct AdminUserTests {
  @Test func `an account is made with every field, and its password signs in`() async throws {
    try await Flow().run(
      """
      local admin = admin.admin()
      local made = admin:createUser {
        uid = "ada", email = "Ada@example.com", emailVerified = true, password = "correct horse",
        displayName = "Ada", photoURL = "https://example.com/a.png", phoneNumber = "+15555550100",
        multiFactor = { enrolledFactors = { { phoneNumber = "+15555550101", displayName = "my phone" } } },
      }
      equal(made.uid, "ada")
      equal(made.email, "ada@example.com")
      equal(made.emailVerified, true)
      equal(made.phoneNumber, "+15555550100")
      equal(made.multiFactor.enrolledFactors[1].phoneNumber, "+15555550101")
      equal(made.multiFactor.enrolledFactors[1].displayName, "my phone")
      equal(made.multiFactor.enrolledFactors[1].factorID, "phone")
      refused("secondFactorRequired", auth.signInWithEmail, auth, "ada@example.com", "correct horse")
      made = admin:updateUser("ada", { multiFactor = false })
      equal(#made.multiFactor.enrolledFactors, 0)
      equal(auth:signInWithEmail("ada@example.com", "correct horse").user.uid, "ada")
      assert(#admin:createUser().uid > 0)
      assert(admin:createUser { disabled = true }.disabled)
      """)
  }

  @Test func `every field can be changed, and false clears it`() async throws {
    try await Flow().run(
      """
      local admin = admin.admin()
      admin:createUser { uid = "ada", email = "ada@example.com", password = "correct horse" }
      local user = admin:updateUser("ada", {
        email = "ada@new.example", emailVerified = true, phoneNumber = "+15555550100",
        displayName = "Ada", photoURL = "https://example.com/a.png", password = "battery staple",
        customClaims = { role = "editor", teams = { 1, 2 } },
        multiFactor = { enrolledFactors = { { phoneNumber = "+15555550101" } } },
        providerToLink = { providerID = "google.com", uid = "42", email = "ada@gmail.example" },
      })
      equal(user.email, "ada@new.example")
      equal(user.emailVerified, true)
      equal(user.displayName, "Ada")
      equal(user.customClaims.teams[2], 2)
      equal(#user.multiFactor.enrolledFactors, 1)
      equal(flows.ways(user), "google.com password phone")
      equal(admin:getUserByProviderUID("google.com", "42").uid, "ada")
      user = admin:updateUser("ada", {
        displayName = false, photoURL = false, phoneNumber = false, customClaims = false,
        multiFactor = { enrolledFactors = {} }, providersToUnlink = { "google.com" },
      })
      equal(user.displayName, nil)
      equal(user.photoURL, nil)
      equal(user.phoneNumber, nil)
      equal(next(user.customClaims or {}), nil)
      equal(#user.multiFactor.enrolledFactors, 0)
      equal(flows.ways(user), "password")
      equal(auth:signInWithEmail("ada@new.example", "battery staple").user.uid, "ada")
      admin:updateUser("ada", { disabled = true })
      refused("userDisabled", auth.signInWithEmail, auth, "ada@new.example", "battery staple")
      user = admin:updateUser("ada", { disabled = false, providerToLink = { providerID = "phone", uid = "+15555550102" } })
      equal(user.phoneNumber, "+15555550102")
      equal(user.disabled, false)
      """)
  }

  @Test func `claims are in the next token, and must be few and not the token's own`() async throws
  {
    try await Flow().run(
      """
      local admin = admin.admin()
      local user = auth:createUser("ada@example.com", "correct horse").user
      admin:setCustomUserClaims(user.uid, { admin = true })
      equal(user:getIDTokenResult(true).claims.admin, true)
      admin:setCustomUserClaims(user.uid, false)
      equal(user:getIDTokenResult(true).claims.admin, nil)
      local err = refused("invalidClaims", admin.setCustomUserClaims, admin, user.uid, { sub = "x" })
      assert(err.message:find("sub", 1, true), err.message)
      -- {"a":""} are eight bytes.
      admin:setCustomUserClaims(user.uid, { a = ("x"):rep(992) })
      refused("invalidClaims", admin.setCustomUserClaims, admin, user.uid, { a = ("x"):rep(993) })
      refused("invalidClaims", admin.setCustomUserClaims, admin, user.uid, { "x" })
      refused("invalidClaims", admin.updateUser, admin, user.uid, { customClaims = { iss = 1 } })
      refused("userNotFound", admin.setCustomUserClaims, admin, "nobody", {})
      """)
  }

  @Test func `what is taken is refused under its own code, and nothing is left behind`()
    async throws
  {
    try await Flow().run(
      """
      local admin = admin.admin()
      for _, find in ipairs { admin.getUserByEmail, admin.getUserByPhoneNumber } do
        assert(#refused("userNotFound", find, admin, ("x"):rep(100000)).message < 400)
      end
      admin:createUser { uid = "ada", email = "ada@example.com", phoneNumber = "+15555550100" }
      local function refuse(code, properties) return refused(code, admin.createUser, admin, properties) end
      equal(refuse("uidAlreadyExists", { uid = "ada" }).webCode, "auth/uid-already-exists")
      refuse("emailAlreadyInUse", { uid = "x", email = "ADA@example.com" })
      refuse("phoneNumberAlreadyExists", { uid = "x", phoneNumber = "+15555550100" })
      refuse("invalidEmail", { uid = "x", email = "no address" })
      refuse("invalidPhoneNumber", { uid = "x", phoneNumber = "12" })
      refuse("weakPassword", { uid = "x", email = "x@example.com", password = "12345" })
      refused("userNotFound", admin.getUser, admin, "x")
      refused("userNotFound", admin.updateUser, admin, "nobody", { displayName = "x" })
      local link = { providerToLink = { providerID = "google.com", uid = "42" } }
      admin:updateUser("ada", link)
      admin:createUser { uid = "bob" }
      local err = refused("credentialAlreadyInUse", admin.updateUser, admin, "bob", link)
      assert(err.hint:find("getUserByProviderUID", 1, true))
      """)
  }

  @Test func `a table that cannot be right is refused before anything is sent`() async throws {
    let trace = try await Flow().run(
      """
      local admin = admin.admin()
      local function refuse(words, changes)
        local err = refused("invalidArgument", admin.updateUser, admin, "ada", changes)
        assert(err.message:find(words, 1, true), err.message)
      end
      refuse("nothing to change", {})
      refuse("displayName is empty: pass false", { displayName = "" })
      refuse("displayName must be a string, or false", { displayName = true })
      refuse("cannot be password", { providerToLink = { providerID = "password", uid = "a" } })
      refuse("providerToLink.uid is missing", { providerToLink = { providerID = "google.com" } })
      refuse("did you mean 'uid'", { providerToLink = { providerID = "google.com", uit = "1" } })
      refuse("there is a new phoneNumber", { phoneNumber = "+15555550100", providersToUnlink = { "phone" } })
      refuse("means email, which is given", { email = "a@b.example", providerToLink = { providerID = "email", uid = "c@d.example" } })
      refuse("means email, which is given", { email = false, providerToLink = { providerID = "email", uid = "c@d.example" } })
      for _, change in ipairs { { phoneNumber = false }, { providersToUnlink = { "phone" } } } do
        change.providerToLink = { providerID = "phone", uid = "+15555550102" }
        refuse("means phoneNumber, which is given", change)
      end
      local factor = { uid = "f", phoneNumber = "+15555550101" }
      refuse("two factors with the same uid", { multiFactor = { enrolledFactors = { factor, factor } } })
      mistake("has a hole", admin.deleteUsers, admin, { "ada", nil, "bob" })
      mistake("list of tables of options expected", admin.getUsers, admin, { "ada" })
      refuse("enrolledFactors[2].phoneNumber is missing",
        { multiFactor = { enrolledFactors = { { phoneNumber = "+15555550101" }, {} } } })
      refuse("factorID must be", { multiFactor = { enrolledFactors = { { factorID = "fax" } } } })
      refuse("authenticator app", { multiFactor = { enrolledFactors = { { factorID = "totp" } } } })
      refuse("not something an authenticator app has",
        { multiFactor = { enrolledFactors = { { factorID = "totp", uid = "f", phoneNumber = "+15555550101" } } } })
      refused("invalidArgument", admin.createUser, admin,
        { multiFactor = { enrolledFactors = { { uid = "f", phoneNumber = "+15555550101" } } } })
      refused("invalidArgument", admin.createUser, admin,
        { multiFactor = { enrolledFactors = { { uid = "f", factorID = "totp" } } } })
      refused("invalidArgument", admin.createUser, admin, { email = "" })
      refused("invalidArgument", admin.updateUser, admin, "", { displayName = "x" })
      mistake("no option 'emai'", admin.createUser, admin, { emai = "a@b.example" })
      mistake("bad argument", admin.createUser, admin, { disabled = "yes" })
      """)
    #expect(trace == [])
  }

  @Test func `sessions end when they are revoked, and an account is gone when it is deleted`()
    async throws
  {
    try await Flow().run(
      """
      local admin = admin.admin()
      local user = auth:createUser("ada@example.com", "correct horse").user
      emulator.advance(10)
      admin:revokeRefreshTokens(user.uid)
      assert(admin:getUser(user.uid).tokensValidAfterTime > user.metadata.creationDate)
      refused("userTokenExpired", user.getIDToken, user, true)
      equal(auth.currentUser, nil)
      assert(auth:signInWithEmail("ada@example.com", "correct horse").user:getIDToken(true))
      admin:deleteUser(user.uid)
      refused("userNotFound", admin.getUser, admin, user.uid)
      refused("userNotFound", admin.deleteUser, admin, user.uid)
      """)
  }
}
