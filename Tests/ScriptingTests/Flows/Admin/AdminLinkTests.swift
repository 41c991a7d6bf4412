import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct AdminLinkTests {
  @Test func `each kind of link is made, is not sent, and works`() async throws {
    try await Flow().run(
      """
      local admin = admin.admin()
      admin:createUser { uid = "ada", email = "ada@example.com", password = "correct horse" }
      local settings = { url = "http://localhost/after", handleCodeInApp = true }
      local function code(link) return (assert(link:match "oobCode=([^&]+)", link)) end
      local reset = admin:generatePasswordResetLink("ada@example.com", settings)
      assert(reset:find("continueUrl=http%3A%2F%2Flocalhost%2Fafter", 1, true), reset)
      auth:confirmPasswordReset(code(reset), "battery staple")
      equal(auth:signInWithEmail("ada@example.com", "battery staple").user.uid, "ada")
      auth:applyActionCode(code(admin:generateEmailVerificationLink("ada@example.com")))
      equal(admin:getUser("ada").emailVerified, true)
      auth:applyActionCode(code(admin:generateVerifyAndChangeEmailLink("ada@example.com", "ada@new.example")))
      equal(admin:getUser("ada").email, "ada@new.example")
      local link = admin:generateSignInWithEmailLink("ada@new.example", settings)
      equal(auth:signInWithEmailLink("ada@new.example", link).user.uid, "ada")
      local sent = 0
      for _, letter in ipairs(emulator.oobCodes()) do
        if letter.requestType ~= "RECOVER_EMAIL" then sent = sent + 1 end
      end
      equal(sent, 0)
      """)
  }

  @Test func `links for nobody, to nowhere or without settings are refused`() async throws {
    try await Flow().run(
      """
      local admin = admin.admin()
      admin:createUser { email = "ada@example.com" }
      emulator.configure { enumerationProtection = false }
      refused("userNotFound", admin.generatePasswordResetLink, admin, "nobody@example.com")
      emulator.configure { enumerationProtection = true }
      refused("userNotFound", admin.generatePasswordResetLink, admin, "nobody@example.com")
      refused("userNotFound", admin.generateEmailVerificationLink, admin, "nobody@example.com")
      refused("unauthorizedDomain", admin.generatePasswordResetLink, admin, "ada@example.com", { url = "https://evil.example/" })
      refused("invalidContinueURI", admin.generatePasswordResetLink, admin, "ada@example.com", { url = "nowhere" })
      -- Google's servers ignore what is said of an Android app without its name.
      local plain = admin:generatePasswordResetLink("ada@example.com",
        { url = "http://localhost/", android = { installApp = true, minimumVersion = "12" } })
      equal(Auth.ActionCodeURL(plain).continueURL, "http://localhost/")
      refused("invalidArgument", admin.generateSignInWithEmailLink, admin, "ada@example.com")
      refused("invalidArgument", admin.generateSignInWithEmailLink, admin, "ada@example.com", { url = "http://localhost/" })
      refused("invalidArgument", admin.generateSignInWithEmailLink, admin, "ada@example.com", { handleCodeInApp = true })
      refused("invalidArgument", admin.generatePasswordResetLink, admin, "")
      refused("invalidArgument", admin.generateVerifyAndChangeEmailLink, admin, "ada@example.com", "")
      local err = refused("invalidArgument", admin.generatePasswordResetLink, admin, "ada@example.com", { iOS = { bundle = "x" } })
      assert(err.message:find("settings.iOS.bundle", 1, true), err.message)
      """)
  }
}
