@testable import Emulator
import Testing

/// The errors an emulator can be brought to, in the same codes under the rules of Google's servers
/// and of Firebase's emulator.
@Suite(.serialized, .timeLimit(.minutes(1))) struct ErrorRuleTests {
  /// Fresh identities, whose provider is believed about the address or not; and what administrators do.
  private static let prelude = """
    local function trusted(name)
      if isReal then return provider("google.com", name .. "@contoso.example"):getCredential() end
      return Auth.GoogleAuthProvider.credential(json.encode {
        sub = name, email = name .. "@contoso.example", email_verified = true })
    end
    local function doubted(name)
      if isReal then return provider("microsoft.com", name .. "@contoso.example"):getCredential() end
      return Auth.GitHubAuthProvider.credential(json.encode {
        sub = name, email = name .. "@contoso.example", email_verified = false })
    end
    local function password(name) return auth:createUser(name .. "@contoso.example", "correct horse").user end
    local function administer(user, changes)
      changes.localId = user.uid
      local made = http.post(emulator.origin .. "/identitytoolkit.googleapis.com/v1/projects/" .. host.projectID
        .. "/accounts:update", { headers = { Authorization = "Bearer owner" }, json = changes })
      assert(made.ok, made.body)
      return user
    end
    local function signIn(name, word) auth:signInWithEmail(name .. "@contoso.example", word or "correct horse") end

    """

  /// The code, and a Lua statement that ends with it under both rule sets.
  private static let rows = [
    ("emailAlreadyInUse", "password 'ada' password 'ada'"),
    ("weakPassword", "auth:createUser('ada@contoso.example', 'five5')"),
    ("invalidEmail", "auth:createUser('ada', 'correct horse')"),
    ("userDisabled", "administer(password 'ada', { disableUser = true }) signIn 'ada'"),
    ("invalidCredential", "emulator.configure { enumerationProtection = true } signIn 'ada'"),
    ("wrongPassword", "password 'ada' signIn('ada', 'battery staple')"),
    ("userNotFound", "signIn 'nobody'"),
    ("invalidCustomToken", "auth:signInWithCustomToken 'no token'"),
    ("accountExistsWithDifferentCredential", "password 'ada' auth:signIn(doubted 'ada')"),
    (
      "credentialAlreadyInUse",
      "auth:signIn(trusted 'ada') auth:signOut() auth:signInAnonymously().user:link(trusted 'ada')"
    ),
    (
      "emailAlreadyInUse",
      "password 'ada' auth:signOut() auth:signInAnonymously().user:link(doubted 'ada')"
    ),
    ("providerAlreadyLinked", "auth:signIn(trusted 'ada').user:link(trusted 'ada')"),
    ("noSuchProvider", "password('ada'):unlink 'google.com'"),
    ("userMismatch", "auth:signIn(trusted 'ada') password('eve'):reauthenticate(trusted 'ada')"),
    (
      "userTokenExpired",
      "local user = password 'ada' emulator.advance(2) administer(user, { validSince = tostring(os.time() + 3600) }) user:reload()"
    ),
    (
      "secondFactorRequired",
      "administer(password 'ada', { emailVerified = true, mfa = { enrollments = { { mfaEnrollmentId = 'E1', phoneInfo = '+15555550100' } } } }) signIn 'ada'"
    ),
    ("invalidActionCode", "auth:applyActionCode 'no code'"),
    ("invalidActionCode", "auth:confirmPasswordReset('no code', 'battery staple')"),
    ("missingEmail", "auth:sendPasswordReset ''"),
    ("userNotFound", "auth:sendPasswordReset 'nobody@contoso.example'"),
    ("invalidPhoneNumber", "Auth.PhoneAuthProvider():verifyPhoneNumber '5550100'"),
    (
      "invalidVerificationCode",
      "local id = Auth.PhoneAuthProvider():verifyPhoneNumber '+15555550100' auth:signIn(Auth.PhoneAuthProvider.credential(id, '000000'))"
    ),
    ("invalidVerificationID", "auth:signIn(Auth.PhoneAuthProvider.credential('no id', '123456'))"),
    (
      "networkError",
      "emulator.setFaults { { operation = 'signUp', drop = true } } auth:signInAnonymously()"
    ),
    (
      "tooManyRequests",
      "emulator.setFaults { { operation = 'signUp', error = 'TOO_MANY_ATTEMPTS_TRY_LATER' } } auth:signInAnonymously()"
    ),
    (
      "operationNotAllowed",
      "emulator.setFaults { { operation = 'signUp', error = 'OPERATION_NOT_ALLOWED' } } auth:signInAnonymously()"
    ),
    (
      "adminRestrictedOperation",
      "emulator.setFaults { { operation = 'signUp', error = 'ADMIN_ONLY_OPERATION' } } auth:signInAnonymously()"
    ),
  ]

  @Test(arguments: [true, false])
  func `what is refused is refused in the same code under both rule sets`(
    _ isReal: Bool
  ) async throws {
    var script = "local isReal = \(isReal) " + Self.prelude
    for (code, statement) in Self.rows {
      script += """
        do
          emulator.setFaults {} emulator.clear() emulator.configure { enumerationProtection = false }
          auth = Auth.session()
          local err = refused("\(code)", function() \(statement) end)
          equal(Auth.ErrorCode[err.code], "\(code)")
          assert(err.rawValue >= 17000 and err.name and err.webCode:find "^auth/")
        end

        """
    }
    try await Flow(runner: ScriptRunner(rules: isReal ? .production : .compatible)).run(script)
  }
}
