@testable import System
@testable import IdentityToolkit
import Testing

/// Every code of the table, reached from a script: by each name a backend has for it, or as the
/// client finds it by itself.
@Suite(.serialized, .timeLimit(.minutes(1))) struct ErrorTableTests {
  /// Checks that an error object is whole.
  private static let prelude = """
    local function whole(err, number, name, web) \
      equal(err.rawValue, number) equal(err.name, name) equal(err.webCode, web) \
      equal(Auth.ErrorCode[err.code], err.code) \
      assert(err.hint:find " " and not err.hint:find "[\\n\\r]", err.hint) \
      assert(type(err.verifiedProviders) == "table" and err.verifiedProviders.contains) \
      assert(err.where:find ":%d+$" and tostring(err):find(err.hint, 1, true)) \
    end\u{20}
    """

  private static func columns(_ code: ErrorCode) -> [JSON] {
    [
      .string(code.rawValue), .integer(Int64(code.number)), .string(code.name),
      .string(code.webCode),
    ]
  }

  @Test func `every name on the wire becomes an error object with all its fields`() async throws {
    let rows = ServerError.allCases.map { refused in
      JSON.array([.string(refused.rawValue)] + Self.columns(refused.code))
    }
    #expect(rows.count > 100)
    try await Flow().runScripted(
      Self.prelude + """

        for _, row in ipairs(json.decode [==[\(JSON.array(rows).encoded())]==]) do
          local wire, code, number, name, web = table.unpack(row)
          fails("signInWithPassword", wire .. " : the backend's words")
          local err = refused(code, auth.signInWithEmail, auth, "a@b.example", "correct horse")
          whole(err, number, name, web)
          equal(err.serverName, wire)
          assert(err.message:find("the backend's words", 1, true), err.message)
        end
        """)
  }

  /// What the Apple SDK files under its internal error; luath knows better, or keeps the name.
  @Test(arguments: [
    ("INVALID_CREDENTIAL_OR_PROVIDER_ID", 17004), ("RESET_PASSWORD_EXCEED_LIMIT", 17010),
    ("INVALID_TEMPORARY_PROOF", 17004), ("MISSING_PASSWORD", 18104),
    ("PHONE_NUMBER_EXISTS", 17025), ("INVALID_OAUTH_CLIENT_ID", 17060),
    ("INVALID_TENANT_ID", 18107), ("MISSING_OOB_CODE", 17030), ("MISSING_REQ_TYPE", 17207),
    ("MISSING_CODE", 17043), ("MISSING_SESSION_INFO", 17045), ("MISSING_PHONE_NUMBER", 17041),
    ("MISSING_CUSTOM_TOKEN", 17000), ("MISSING_ID_TOKEN", 17017),
    ("INVALID_REFRESH_TOKEN", 17021), ("MISSING_REFRESH_TOKEN", 17999),
    ("INVALID_GRANT_TYPE", 17999), ("USER_CANCELLED", 17063), ("REJECTED_CREDENTIAL", 17075),
    ("PROJECT_DISABLED", 18106), ("CAPTCHA_REQUIRED", 17056), ("MISSING_IDENTIFIER", 17034),
    ("MISSING_REQUEST_URI", 17004), ("INVALID_REQUEST_URI", 17004), ("INVALID_CLAIMS", 18110),
    ("CONFIGURATION_NOT_FOUND", 18105), ("EMAIL_EXISTS", 17007),
    ("INSUFFICIENT_PERMISSION", 18109), ("CLAIMS_TOO_LARGE", 18110), ("FORBIDDEN_CLAIM", 18110),
    ("DUPLICATE_LOCAL_ID", 17999), ("INVALID_LOCAL_ID", 17011),
    ("INVALID_RECAPTCHA_SCORE", 17056), ("SOMETHING_NEW", 17999),
  ])
  func `a name without a code in the Apple SDK has one here`(
    _ name: String, _ number: Int
  ) throws {
    let refusal = Refusal(status: 400, message: "\(name) : words")
    #expect(refusal.code.number == number)
    #expect(refusal.rawName == name)
  }

  @Test func `keys that are refused are known by their reasons`() async throws {
    try await Flow().runScripted(
      Self.prelude + """

        local function refusedKey(status, message, canonical, reason, detail)
          answer("signUp", status, { error = { code = status, message = message, status = canonical,
            errors = { { message = message, domain = "global", reason = reason } },
            details = detail and { { ["@type"] = "type.googleapis.com/google.rpc.ErrorInfo", reason = detail } } } })
        end
        local rows = {
          { "invalidAPIKey", 400, "API key not valid. Please pass a valid API key.", "INVALID_ARGUMENT", "badRequest", "API_KEY_INVALID" },
          { "invalidAPIKey", 400, "Bad Request", nil, "keyInvalid" },
          { "appNotAuthorized", 403, "Forbidden", nil, "ipRefererBlocked" },
        }
        for _, kind in ipairs { "IOS_APP", "ANDROID_APP", "HTTP_REFERRER", "SERVICE" } do
          rows[#rows + 1] = { "appNotAuthorized", 403, "Requests from this iOS client application <empty> are blocked.",
            "PERMISSION_DENIED", "forbidden", "API_KEY_" .. kind .. "_BLOCKED" }
        end
        for _, row in ipairs(rows) do
          refusedKey(table.unpack(row, 2))
          local err = refused(row[1], auth.signInAnonymously, auth)
          equal(err.rawValue, row[1] == "invalidAPIKey" and 17023 or 17028)
          assert(err.message:find(row[3], 1, true), err.message)
        end
        """)
  }

  @Test func `a blocking function's answer is decoded`() async throws {
    try await Flow().runScripted(
      """
      local function blocked(words)
        fails("signUp", "BLOCKING_FUNCTION_ERROR_RESPONSE : " .. words)
        return refused("blockingCloudFunctionError", auth.signInAnonymously, auth)
      end
      local body = '{"error":{"message":"Not {you}","status":"PERMISSION_DENIED","details":{"why":"}"}}}'
      local err = blocked("HTTP Cloud Function returned an error: " .. body .. " and so on")
      equal(err.rawValue, 17105)
      assert(err.message:find("Not {you}", 1, true), err.message)
      equal(err.details.error.status, "PERMISSION_DENIED")
      equal(err.details.error.details.why, "}")
      local err = blocked "no JSON in here"
      assert(err.message:find("no JSON in here", 1, true))
      """)
  }

  /// What the client finds by itself or reads out of an answer: a Lua expression that provokes each.
  private static let provoked: [(code: ErrorCode, call: String)] = [
    (
      .networkError,
      "function() faults { operation = 'signUp', drop = true } auth:signInAnonymously() end"
    ),
    (
      .accountExistsWithDifferentCredential,
      "function() password() auth:signIn(ada 'microsoft.com') end"
    ),
    (
      .providerAlreadyLinked,
      "function() auth:signIn(ada 'google.com').user:link(ada 'google.com') end"
    ),
    (.noSuchProvider, "function() auth:signInAnonymously().user:unlink 'google.com' end"),
    (.userMismatch, "function() auth:signIn(ada 'google.com').user:reauthenticate(yuki) end"),
    (
      .secondFactorRequired,
      "function() factor(password()) auth:signInWithEmail('ada@contoso.example', 'correct horse') end"
    ),
    (.missingEmail, "function() auth:signInWithEmail('', 'correct horse') end"),
    (.wrongPassword, "function() auth:signInWithEmail('ada@contoso.example', '') end"),
    (.weakPassword, "function() auth:createUser('ada@contoso.example', '') end"),
    (
      .webContextAlreadyPresented,
      "function() local p = ada 'google.com' task.all { function() p:getCredential() end, function() p:getCredential() end } end"
    ),
    (.webContextCancelled, "function() page(function() end) end"),
    (.webPageUnusable, "function() page(function() return 7 end) end"),
    (
      .webStateMismatch,
      "function() page(function(p) return p.redirectURI .. '?code=c&state=guessed' end) end"
    ),
    (
      .webContextTimedOut,
      "function() ui.show(ui.form { username = 'x' }, issuer .. '/circle', 'http://localhost/end') end"
    ),
    (
      .webConsentDenied,
      "function() page(function(p) return p.redirectURI .. '?error=access_denied&state=' .. http.parseForm(p.url).state end) end"
    ),
    (
      .webCredentialsRefused,
      "function() page(ui.form { username = 'ada@contoso.example', password = 'mistyped' }) end"
    ),
    (
      .webPageUnsafe,
      "function() ui.show(ui.form { username = 'x', password = 'y' }, issuer .. '/leak', 'http://localhost/end') end"
    ),
    (.webNetworkRequestFailed, "function() handler 'auth/network-request-failed' end"),
    (.webInternalError, "function() handler 'auth/internal-error' end"),
    (.invalidClientID, "function() handler 'auth/invalid-oauth-client-id' end"),
    (.webSignInUserInteractionFailure, "function() handler 'auth/user-cancelled' end"),
    (
      .invalidCustomParameter,
      "function() Auth.OAuthProvider('yahoo.com').customParameters = { state = 'x' } end"
    ),
    (.invalidProviderID, "function() Auth.OAuthProvider 'yahoo' end"),
    (.nullUser, "function() auth:updateCurrentUser(nil) end"),
    (.keychainError, "function() auth:signInAnonymously() auth:save '/no/such/folder/session' end"),
  ]

  /// Reached in suites of their own, since it takes more than one line.
  private static let elsewhere: [ErrorCode: String] = [
    .invalidAPIKey: "keys that are refused are known by their reasons",
    .appNotAuthorized: "keys that are refused are known by their reasons",
    .malformedJWT: "a token that is none is malformed",
    .webBrowserUnavailable: "a driver that is missing is told with what to install",
    .webBrowserFailed: "a browser that ends in the middle is told",
    .webRedirectUnavailable: "a port that is taken is told",
  ]

  /// What belongs to a phone, its app store or its browser's reCAPTCHA, and is never raised here.
  private static let meaningless: Set<ErrorCode> = [
    .notificationNotForwarded, .appVerificationUserInteractionFailure,
    .localPlayerNotAuthenticated, .gameKitNotLinked, .recaptchaSDKNotLinked,
    .recaptchaSiteKeyMissing, .recaptchaActionCreationFailed,
  ]

  @Test func `what the client finds by itself is told as fully`() async throws {
    let issuer = try await TokenIssuer()
    defer { issuer.stop() }
    var script =
      Self.prelude + """
        local issuer = "\(issuer.origin)"
        local function faults(fault) emulator.setFaults { fault } end
        local function ada(id)
          local made = Auth.OAuthProvider(id, auth)
          made.customParameters = { login_hint = "ada@contoso.example" }
          return made
        end
        local yuki = provider("yahoo.com", "yuki@yahoo.example")
        local function password() return auth:createUser("ada@contoso.example", "correct horse").user end
        local function page(delegate) ada("google.com"):getCredential(delegate) end
        local function handler(code)
          page(function(p)
            return p.redirectURI .. "?" .. http.form { firebaseError = json.encode { code = code, message = "words" } }
          end)
        end
        local function factor(user)
          local made = http.post(emulator.origin .. "/identitytoolkit.googleapis.com/v1/projects/" .. host.projectID .. "/accounts:update", {
            headers = { Authorization = "Bearer owner" },
            json = { localId = user.uid, emailVerified = true, mfa = { enrollments = { { mfaEnrollmentId = "E1", phoneInfo = "+15555550100" } } } },
          })
          assert(made.ok, made.body)
        end

        """
    for row in Self.provoked {
      let values = Self.columns(row.code).map { $0.encoded() }.joined(separator: ", ")
      script += """
        do
          emulator.setFaults {} emulator.clear() auth = Auth.session()
          local code, number, name, web = \(values)
          whole(refused(code, \(row.call)), number, name, web)
        end

        """
    }
    try await Flow().run(script)
  }

  @Test func `every code of the SDKs is reached by one of these ways`() {
    let reached = Set(ServerError.allCases.map(\.code) + Self.provoked.map(\.code))
      .union(Self.elsewhere.keys)
    for code in ErrorCode.allCases where code.number < 18101 {
      #expect(reached.contains(code) != Self.meaningless.contains(code), "\(code)")
    }
  }
}
