@testable import Emulator
import Testing

/// Phone numbers as a way to sign in.
@Suite(.serialized, .timeLimit(.minutes(1))) struct PhoneTests {
  @Test func `a delegate reads the code, and may wait for it`() async throws {
    try await Flow().run(
      """
      local requests = {}
      local function read(request)
        requests[#requests + 1] = request
        task.sleep(0)
        for _, sent in ipairs(emulator.verificationCodes()) do
          if sent.sessionInfo == request.verificationID then return sent.code end
        end
      end
      local result = auth:signInWithPhoneNumber("+15555550101", read)
      equal(result.user.phoneNumber, "+15555550101")
      equal(auth.currentUser.uid, result.user.uid)
      equal(result.additionalUserInfo.providerID, "phone")
      equal(result.additionalUserInfo.isNewUser, true)
      equal(result.credential, nil)
      equal(way(result.user, "phone").phoneNumber, "+15555550101")
      equal(result.user.isAnonymous, false)
      equal(result.user:getIDTokenResult().signInProvider, "phone")
      equal(requests[1].phoneNumber, "+15555550101")
      local again = Auth.session():signInWithPhoneNumber("+15555550101", read)
      equal(again.user.uid, result.user.uid)
      equal(again.additionalUserInfo.isNewUser, false)
      """)
  }

  @Test func `the steps can be taken one by one`() async throws {
    try await Flow().run(
      """
      local phone = Auth.PhoneAuthProvider(auth)
      equal(phone.providerID, "phone")
      equal(Auth.PhoneAuthProvider.id, "phone")
      local id = phone:verifyPhoneNumber("+15555550101")
      local credential = Auth.PhoneAuthProvider.credential(id, flows.sms "+15555550101")
      equal(credential.providerID, "phone")
      equal(credential.signInMethod, "phone")
      equal(auth:signIn(credential).user.phoneNumber, "+15555550101")
      -- A code works once.
      local err = refused("sessionExpired", auth.signIn, auth, credential)
      equal(err.rawValue, 17051)
      equal(err.webCode, "auth/code-expired")
      """)
  }

  @Test func `what can only fail is not sent`() async throws {
    let trace = try await Flow().run(
      """
      local phone = Auth.PhoneAuthProvider()
      local function credential(id, code) return Auth.PhoneAuthProvider.credential(id, code) end
      equal(refused("missingPhoneNumber", phone.verifyPhoneNumber, phone, "").rawValue, 17041)
      equal(refused("missingPhoneNumber", auth.signInWithPhoneNumber, auth, "", print).rawValue, 17041)
      equal(refused("missingVerificationID", auth.signIn, auth, credential("", "123456")).rawValue, 17045)
      equal(refused("missingVerificationCode", auth.signIn, auth, credential("x", "")).rawValue, 17043)
      """)
    #expect(trace.isEmpty)
  }

  @Test func `wrong numbers, codes and ids are told apart`() async throws {
    try await Flow().run(
      """
      local phone = Auth.PhoneAuthProvider()
      local function signIn(id, code) return auth:signIn(Auth.PhoneAuthProvider.credential(id, code)) end
      for _, number in ipairs { "0171 1234567", "+", "+0 171 1234567", "+1 (555) *", "ada@contoso.example" } do
        equal(refused("invalidPhoneNumber", phone.verifyPhoneNumber, phone, number).rawValue, 17042)
      end
      local id = phone:verifyPhoneNumber "+15555550101"
      local code = flows.sms "+15555550101"
      local wrong = code == "000000" and "000001" or "000000"
      equal(refused("invalidVerificationCode", signIn, id, wrong).rawValue, 17044)
      equal(refused("invalidVerificationID", signIn, "unknown", code).rawValue, 17046)
      equal(auth.currentUser, nil)
      signIn(id, code)
      -- Too many wrong codes, and too much time, end it.
      id = phone:verifyPhoneNumber "+15555550102"
      for _ = 1, 5 do refused("invalidVerificationCode", signIn, id, "00000x") end
      refused("sessionExpired", signIn, id, flows.sms "+15555550102")
      id = phone:verifyPhoneNumber "+15555550103"
      emulator.advance(601)
      refused("sessionExpired", signIn, id, flows.sms "+15555550103")
      """)
  }

  @Test func `a delegate that gives no code is told so, and what it raises is raised`() async throws
  {
    try await Flow().run(
      """
      local number = "+15555550101"
      local err = refused("missingVerificationCode", auth.signInWithPhoneNumber, auth, number, function() end)
      assert(err.message:find("nil", 1, true) or err.message:find("nothing", 1, true), err.message)
      err = refused("missingVerificationCode", auth.signInWithPhoneNumber, auth, number, function() return 123456 end)
      assert(err.hint:find("zeros", 1, true), err.hint)
      refused("missingVerificationCode", auth.signInWithPhoneNumber, auth, number, function() return "" end)
      local mine = { code = "mine" }
      local ok, raised = pcall(auth.signInWithPhoneNumber, auth, number, function() error(mine) end)
      assert(not ok and raised == mine, tostring(raised))
      refused("timeout", task.timeout, 0.05, auth.signInWithPhoneNumber, auth, number, function() task.sleep(60) end)
      equal(auth.currentUser, nil)
      """)
  }

  @Test func `a user whose Auth is gone asks its own tenant for codes`() async throws {
    try await Flow().run(
      """
      local function stranded()
        return Auth.session({ tenantID = flows.tenant() }):signInAnonymously().user
      end
      local user = stranded()
      task.sleep(0)
      collectgarbage()
      collectgarbage()
      -- Tenants have no telephones: the project, which has, must not be asked in its place.
      refused("unsupportedTenantOperation", user.linkWithPhoneNumber, user, "+15555550101", print)
      equal(#emulator.verificationCodes(), 0)
      """)
  }

  @Test func `a telephone is linked, proves again, is replaced and unlinked`() async throws {
    try await Flow().run(
      """
      local function read(request) return flows.sms(request.phoneNumber) end
      local user = auth:signInAnonymously().user
      local uid = user.uid
      local result = user:linkWithPhoneNumber("+15555550101", read)
      equal(result.user.uid, uid)
      equal(result.additionalUserInfo.providerID, "phone")
      equal(user.isAnonymous, false)
      equal(user.phoneNumber, "+15555550101")
      refused("providerAlreadyLinked", user.linkWithPhoneNumber, user, "+15555550102", read)

      local before = user:getIDTokenResult().authDate
      emulator.advance(600)
      user:reauthenticateWithPhoneNumber("+15555550101", read)
      assert(user:getIDTokenResult().authDate >= before + 600)

      local phone = Auth.PhoneAuthProvider()
      local function proof(number)
        local id = phone:verifyPhoneNumber(number)
        return Auth.PhoneAuthProvider.credential(id, flows.sms(number))
      end
      user:updatePhoneNumber(proof "+15555550102")
      equal(user.phoneNumber, "+15555550102")
      equal(way(user, "phone").phoneNumber, "+15555550102")
      refused("rejectedCredential", user.updatePhoneNumber, user, Auth.EmailAuthProvider.credential("a@b.example", "correct horse"))
      emulator.advance(600)
      refused("requiresRecentLogin", user.updatePhoneNumber, user, proof "+15555550103")
      user:reauthenticate(proof "+15555550102")
      user:updatePhoneNumber(proof "+15555550103")

      user:link(Auth.EmailAuthProvider.credential("ada@contoso.example", "correct horse"))
      user:unlink "phone"
      equal(user.phoneNumber, nil)
      equal(ways(user), "password")
      refused("noSuchProvider", user.unlink, user, "phone")
      """)
  }

  @Test func `somebody else's telephone reauthenticates nobody, and makes no account`() async throws
  {
    try await Flow().run(
      """
      local function read(request) return flows.sms(request.phoneNumber) end
      Auth.session():signInWithPhoneNumber("+15555550102", read)
      local user = auth:signInWithPhoneNumber("+15555550101", read).user
      local token = user:getIDToken()
      local err = refused("userMismatch", user.reauthenticateWithPhoneNumber, user, "+15555550102", read)
      equal(err.rawValue, 17024)
      refused("userMismatch", user.reauthenticateWithPhoneNumber, user, "+15555550103", read)
      equal(user:getIDToken(), token)
      equal(Auth.session():signInWithPhoneNumber("+15555550103", read).additionalUserInfo.isNewUser, true)
      """)
  }

  @Test func `a number of another account comes with a credential that signs in there`()
    async throws
  {
    try await Flow().run(
      """
      local function read(request) return flows.sms(request.phoneNumber) end
      local owner = Auth.session():signInWithPhoneNumber("+15555550101", read).user
      local user = auth:createUser("ada@contoso.example", "correct horse").user
      local err = refused("credentialAlreadyInUse", user.linkWithPhoneNumber, user, "+15555550101", read)
      equal(err.rawValue, 17025)
      equal(err.email, nil)
      equal(err.details.phoneNumber, "+15555550101")
      equal(err.pendingCredential.providerID, "phone")
      assert(not tostring(err.pendingCredential):find("555", 1, true))
      equal(auth.currentUser.uid, user.uid)
      local other = Auth.session()
      local result = other:signIn(err.pendingCredential)
      equal(result.user.uid, owner.uid)
      equal(result.additionalUserInfo.isNewUser, false)
      -- It works more than once, as Google's servers let it.
      equal(other:signIn(err.pendingCredential).user.uid, owner.uid)
      -- So does the proof of an update, for an hour.
      user:linkWithPhoneNumber("+15555550102", read)
      local id = Auth.PhoneAuthProvider():verifyPhoneNumber "+15555550101"
      err = refused("credentialAlreadyInUse", user.updatePhoneNumber, user, Auth.PhoneAuthProvider.credential(id, read { phoneNumber = "+15555550101" }))
      emulator.advance(3601)
      local late = refused("invalidCredential", other.signIn, other, err.pendingCredential)
      equal(late.serverName, "INVALID_TEMPORARY_PROOF")
      assert(late.hint:find("verifyPhoneNumber", 1, true), late.hint)
      """)
  }

  @Test func `who has second factors has no telephone to sign in with`() async throws {
    try await Flow().run(
      """
      local user = auth:signIn(provider("google.com", "ada@contoso.example")).user
      flows.app(user)
      local err = refused("unsupportedFirstFactor", user.linkWithPhoneNumber, user, "+15555550101",
        function(request) return flows.sms(request.phoneNumber) end)
      equal(err.rawValue, 17089)
      equal(auth.currentUser.uid, user.uid)
      """)
  }

  @Test func `a test number takes its own code`() async throws {
    try await Flow().run(
      """
      local answer = http.patch(emulator.origin .. "/identitytoolkit.googleapis.com/v2/projects/" .. host.projectID
        .. "/config?updateMask=signIn.phoneNumber.testPhoneNumbers", {
        bearer = "owner", json = { signIn = { phoneNumber = { testPhoneNumbers = { ["+15555550199"] = "424242" } } } },
      })
      assert(answer.ok, answer.body)
      local result = auth:signInWithPhoneNumber("+15555550199", function() return "424242" end)
      equal(result.user.phoneNumber, "+15555550199")
      """)
  }

  @Test func `a project that wants a proof of a person gets the one that was given`() async throws {
    var runner = ScriptRunner()
    runner.project.requiresAppCredential = true
    try await Flow(runner: runner).run(
      """
      local phone = Auth.PhoneAuthProvider()
      local function read(request) return flows.sms(request.phoneNumber) end
      local err = refused("missingClientIdentifier", phone.verifyPhoneNumber, phone, "+15555550101")
      equal(err.rawValue, 17093)
      assert(err.hint:find("recaptchaToken", 1, true), err.hint)
      phone:verifyPhoneNumber("+15555550101", { recaptchaToken = "an answer" })
      auth:signInWithPhoneNumber("+15555550102", read, { recaptchaToken = "an answer" })
      local answer = http.patch(emulator.origin .. "/identitytoolkit.googleapis.com/v2/projects/" .. host.projectID
        .. "/config?updateMask=recaptchaConfig", {
        bearer = "owner", json = { recaptchaConfig = { phoneEnforcementState = "ENFORCE" } },
      })
      assert(answer.ok, answer.body)
      refused("missingRecaptchaToken", phone.verifyPhoneNumber, phone, "+15555550103", { recaptchaToken = "an answer" })
      auth.recaptchaToken = "NO_RECAPTCHA"
      refused("invalidRecaptchaToken", phone.verifyPhoneNumber, phone, "+15555550103")
      equal(auth.recaptchaToken, nil)
      auth.recaptchaToken = "a token"
      phone:verifyPhoneNumber "+15555550103"
      """)
  }

  @Test func `what the project forbids is named`() async throws {
    try await Flow().run(
      """
      local phone = Auth.PhoneAuthProvider()
      emulator.setFaults { { operation = "sendVerificationCode", error = "QUOTA_EXCEEDED" } }
      equal(refused("quotaExceeded", phone.verifyPhoneNumber, phone, "+15555550101").rawValue, 17052)
      emulator.setFaults {}
      emulator.configure { providers = { phone = false } }
      equal(refused("operationNotAllowed", phone.verifyPhoneNumber, phone, "+15555550101").rawValue, 17006)
      """)
  }

  @Test func `what only a real project finds out has its code and advice`() async throws {
    try await Flow().run(
      """
      local phone = Auth.PhoneAuthProvider()
      local codes = {
        MISSING_APP_CREDENTIAL = "missingAppCredential", INVALID_APP_CREDENTIAL = "invalidAppCredential",
        CAPTCHA_CHECK_FAILED = "captchaCheckFailed", APP_NOT_VERIFIED = "appNotVerified",
        MISSING_IOS_APP_TOKEN = "missingAppToken", TOO_MANY_ATTEMPTS_TRY_LATER = "tooManyRequests",
      }
      for name, code in pairs(codes) do
        emulator.setFaults { { operation = "sendVerificationCode", error = name } }
        local err = refused(code, phone.verifyPhoneNumber, phone, "+15555550101")
        equal(err.serverName, name)
        assert(code ~= "missingAppCredential" or err.name == "MISSING_APP_CREDENTIAL", err.name)
      end
      equal(#emulator.verificationCodes(), 0)
      """)
  }

  @Test func `a tenant has no phone sign-in, and is named where there is one`() async throws {
    try await Flow().run(
      """
      local answer = http.post(emulator.origin .. "/identitytoolkit.googleapis.com/v2/projects/" .. host.projectID .. "/tenants",
        { bearer = "owner", json = { displayName = "north", allowPasswordSignup = true } })
      assert(answer.ok, answer.body)
      auth.tenantID = answer:json().name:match "[^/]+$"
      local phone = Auth.PhoneAuthProvider(auth)
      local err = refused("unsupportedTenantOperation", phone.verifyPhoneNumber, phone, "+15555550101")
      equal(err.rawValue, 17073)
      refused("unsupportedTenantOperation", auth.signIn, auth, Auth.PhoneAuthProvider.credential("x", "123456"))
      """)
  }
}
