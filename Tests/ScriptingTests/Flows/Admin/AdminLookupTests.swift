import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct AdminLookupTests {
  @Test func `an account is found by uid, address, number and provider`() async throws {
    try await Flow().run(
      """
      local admin = admin.admin()
      local made = auth:createUser("Ada@example.com", "correct horse").user
      made:updateProfile { displayName = "Ada Lovelace", photoURL = "https://example.com/a.png" }
      local user = admin:getUser(made.uid)
      equal(user.uid, made.uid)
      equal(user.email, "ada@example.com")
      equal(user.emailVerified, false)
      equal(user.displayName, "Ada Lovelace")
      equal(user.photoURL, "https://example.com/a.png")
      equal(user.disabled, false)
      equal(user.metadata.creationTime, made.metadata.creationDate)
      assert(user.metadata.lastSignInTime and user.tokensValidAfterTime % 1000 == 0)
      equal(#user.multiFactor.enrolledFactors, 0)
      equal(user.providerData[1].providerID, "password")
      equal(admin:getUserByEmail("ADA@example.com").uid, made.uid)
      equal(admin:getUserByProviderUID("email", "ada@example.com").uid, made.uid)
      local yuki = auth:signIn(provider("yahoo.com", "yuki@yahoo.example")).user
      local way = yuki.providerData[1]
      equal(admin:getUserByProviderUid("yahoo.com", way.uid).uid, yuki.uid)
      equal(tostring(admin), "Admin(demo-luath)")
      """)
  }

  @Test func `nobody is not found, and nothing is asked of the backend for an empty name`()
    async throws
  {
    let trace = try await Flow().run(
      """
      local admin = admin.admin()
      local err = refused("userNotFound", admin.getUser, admin, "nobody")
      assert(err.message:find("nobody", 1, true), err.message)
      refused("userNotFound", admin.getUserByEmail, admin, "nobody@example.com")
      refused("userNotFound", admin.getUserByPhoneNumber, admin, "+15555550100")
      refused("userNotFound", admin.getUserByProviderUID, admin, "google.com", "42")
      for _, name in ipairs { "getUserByEmail", "getUserByPhoneNumber" } do
        refused("invalidArgument", admin[name], admin, "")
      end
      refused("invalidArgument", admin.getUser, admin, "")
      refused("invalidArgument", admin.getUser, admin, ("u"):rep(129))
      refused("invalidArgument", admin.getUserByProviderUID, admin, "google.com", "")
      """)
    #expect(trace.count == 4)
  }
}
