import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct PasswordResetTests {
  @Test func `a forgotten password is set anew by the code of a letter`() async throws {
    try await Flow().run(
      """
      local user = auth:createUser("ada@contoso.example", "correct horse").user
      auth:sendPasswordReset("ada@contoso.example", { url = "http://localhost/", handleCodeInApp = true })
      local _, letter = flows.letter()
      equal(letter.operation, "passwordReset")
      equal(letter.continueURL, "http://localhost/")
      equal(auth:verifyPasswordResetCode(letter.code), "ada@contoso.example")
      auth:confirmPasswordReset(letter.code, "battery staple")
      refused("invalidActionCode", auth.confirmPasswordReset, auth, letter.code, "battery staple")
      refused("invalidActionCode", auth.verifyPasswordResetCode, auth, letter.code)
      refused("invalidCredential", auth.signIn, auth, { email = "ada@contoso.example", password = "correct horse" })
      local again = auth:signIn { email = "ada@contoso.example", password = "battery staple" }
      equal(again.user.uid, user.uid)
      equal(again.user.isEmailVerified, true)
      """)
  }

  @Test func `9.28 a reset ends the sessions of the account everywhere`() async throws {
    try await Flow().run(
      """
      local one, two = Auth.session(), Auth.session()
      local user = one:createUser("ada@contoso.example", "correct horse").user
      local same = two:signIn { email = "ada@contoso.example", password = "correct horse" }.user
      auth:sendPasswordReset "ada@contoso.example"
      auth:confirmPasswordReset(flows.code(), "battery staple")
      refused("userTokenExpired", user.reload, user)
      equal(one.currentUser, nil)
      local err = refused("userTokenExpired", same.getIDToken, same, true)
      equal(err.rawValue, 17021)
      equal(two.currentUser, nil)
      """)
  }

  @Test func `nobody learns from a reset who has an account, where the project protects that`()
    async throws
  {
    try await Flow().run(
      """
      auth:sendPasswordReset "nobody@contoso.example"
      equal(#emulator.oobCodes(), 0)
      emulator.configure { enumerationProtection = false }
      local err = refused("userNotFound", auth.sendPasswordReset, auth, "nobody@contoso.example")
      equal(err.serverName, "EMAIL_NOT_FOUND")
      refused("missingEmail", auth.sendPasswordReset, auth, "")
      refused("invalidEmail", auth.sendPasswordReset, auth, "nobody")
      -- Where passwords do not sign in, e-mails are sent all the same, and their codes are refused.
      auth:createUser("ada@contoso.example", "correct horse")
      emulator.configure { providers = { password = false } }
      refused("userNotFound", auth.sendPasswordReset, auth, "nobody@contoso.example")
      auth:sendPasswordReset "ada@contoso.example"
      err = refused("operationNotAllowed", auth.confirmPasswordReset, auth, flows.code(), "battery staple")
      equal(err.serverName, "PASSWORD_LOGIN_DISABLED")
      """)
  }

  @Test func `a reset is refused for weak passwords, old codes and codes of other letters`()
    async throws
  {
    try await Flow().run(
      """
      local user = auth:createUser("ada@contoso.example", "correct horse").user
      auth:sendPasswordReset "ada@contoso.example"
      local code = flows.code()
      local err = refused("weakPassword", auth.confirmPasswordReset, auth, code, "five5")
      equal(err.serverName, "WEAK_PASSWORD")
      refused("weakPassword", auth.confirmPasswordReset, auth, code, "")
      emulator.advance(3600)
      refused("expiredActionCode", auth.verifyPasswordResetCode, auth, code)
      refused("expiredActionCode", auth.confirmPasswordReset, auth, code, "battery staple")
      user:sendEmailVerification()
      code = flows.code()
      err = refused("invalidActionCode", auth.verifyPasswordResetCode, auth, code)
      assert(err.message:find("verifyEmail", 1, true), err.message)
      assert(err.hint:find("sendPasswordReset", 1, true), err.hint)
      refused("invalidActionCode", auth.confirmPasswordReset, auth, code, "battery staple")
      auth:applyActionCode(code)
      emulator.setFaults { { operation = "resetPassword", error = "RESET_PASSWORD_EXCEED_LIMIT" } }
      refused("tooManyRequests", auth.confirmPasswordReset, auth, code, "battery staple")
      """)
  }
}
