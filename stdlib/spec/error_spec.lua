local flows = require "support.flows"
local Auth = require "luath.auth"
local crypto = require "luath.crypto"
local emulator = require "luath.emulator"
local http = require "luath.http"

local auth = Auth.auth()
local equal, refused, mistake = flows.equal, flows.refused, flows.mistake
local provider = flows.provider


describe("errors", function()
  -- S26
  it("a code that does not exist is refused with a guess", function()
    local words = mistake("ErrorCode", function() return Auth.ErrorCode.acountExistsWithDifferentCredential end)
    assert(words:find("accountExistsWithDifferentCredential", 1, true), words)
    mistake("ErrorCode", function() return Auth.ErrorCode.nothingOfTheKind end)
    mistake("ErrorCode", function() return Auth.ErrorCode[7] end)
    mistake("ErrorCode", function() return Auth.ErrorCode[{}] end)
  end)

  -- S26
  it("the fields are those of the SDKs", function()
    emulator.configure { enumerationProtection = false }
    auth:createUser("ada@contoso.example", "correct horse")
    local rows = {
      { "wrongPassword", 17009, "ERROR_WRONG_PASSWORD", "auth/wrong-password", "INVALID_PASSWORD",
        auth.signIn, auth, { email = "ada@contoso.example", password = "battery staple" } },
      { "userNotFound", 17011, "ERROR_USER_NOT_FOUND", "auth/user-not-found", "EMAIL_NOT_FOUND",
        auth.signIn, auth, { email = "b@contoso.example", password = "battery staple" } },
      { "invalidEmail", 17008, "ERROR_INVALID_EMAIL", "auth/invalid-email", "INVALID_EMAIL",
        auth.signIn, auth, { email = "b", password = "battery staple" } },
      { "invalidEmail", 17008, "ERROR_INVALID_EMAIL", "auth/invalid-email", "INVALID_IDENTIFIER",
        auth.fetchProviders, auth, "b" },
      { "weakPassword", 17026, "ERROR_WEAK_PASSWORD", "auth/weak-password", "WEAK_PASSWORD",
        auth.createUser, auth, "c@contoso.example", "five5" },
      { "emailAlreadyInUse", 17007, "ERROR_EMAIL_ALREADY_IN_USE", "auth/email-already-in-use", "EMAIL_EXISTS",
        auth.createUser, auth, "ada@contoso.example", "battery staple" },
      { "invalidCustomToken", 17000, "ERROR_INVALID_CUSTOM_TOKEN", "auth/invalid-custom-token", "INVALID_CUSTOM_TOKEN",
        auth.signInWithCustomToken, auth, "x.y.z" },
      { "operationNotAllowed", 17006, "ERROR_OPERATION_NOT_ALLOWED", "auth/operation-not-allowed",
        "OPERATION_NOT_ALLOWED", auth.signIn, auth, Auth.OAuthProvider "oidc.unknown" },
    }
    for _, row in ipairs(rows) do
      local err = refused(row[1], table.unpack(row, 6))
      equal(err.code, Auth.ErrorCode[row[1]])
      equal(err.rawValue, row[2])
      equal(err.name, row[3])
      equal(err.webCode, row[4])
      equal(err.serverName, row[5])
      assert(err.where:find ".lua:%d+$" and type(err.traceback) == "string")
      assert(tostring(err):find(row[1], 1, true))
      equal(err.pendingCredential, nil)
      equal(#err.verifiedProviders, 0)
    end
  end)

  -- S26
  it("a token somebody bent is invalid, and one that ended is expired", function()
    local user = auth:signIn(provider("microsoft.com", "ada@contoso.example")).user
    local token, refresh = user:getIDToken(), user.refreshToken
    local function call(path, body)
      local url = "%s/identitytoolkit.googleapis.com/v1/accounts:%s?key=k"
      local answer = http.post(url:format(emulator.origin, path), { json = body })
      return answer.status, (answer:json().error or {}).message
    end
    local function exchange(token)
      local answer = http.post(emulator.origin .. "/securetoken.googleapis.com/v1/token?key=k",
        { form = { grant_type = "refresh_token", refresh_token = token } })
      return answer.status, (answer:json().error or {}).message
    end
    equal(call("lookup", { idToken = token }), 200)
    local none = crypto.base64url '{"alg":"none","typ":"JWT"}' .. "." .. token:match "%.(.-)%." .. "."
    for _, bad in ipairs { flows.bent(token), flows.forged(token, { sub = "x", user_id = "x" }), none, "x", "a.b.c" } do
      local status, message = call("lookup", { idToken = bad })
      equal(status, 400)
      assert(message:find "^INVALID_ID_TOKEN", message)
      local status = call("delete", { idToken = bad })
      equal(status, 400)
    end
    equal(exchange(refresh), 200)
    local status, message = exchange(refresh:reverse())
    equal(status, 400)
    assert(message:find "^INVALID_REFRESH_TOKEN", message)
    emulator.advance(3901)
    local status, message = call("lookup", { idToken = token })
    equal(status, 400)
    assert(message:find "^INVALID_ID_TOKEN", message)
    equal(exchange(refresh), 200)
    -- The client refreshes by itself.
    user:reload()
  end)

  -- S26
  it("a text that is not UTF-8 is refused instead of changed", function()
    auth:createUser("a@b.example", "caf\xC3\xA9 horse")
    for _, bytes in ipairs { "caf\xE9 horse", "\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "x\xC3" } do
      mistake("UTF%-8", auth.signIn, auth, { email = "a@b.example", password = bytes })
      mistake("UTF%-8", auth.createUser, auth, "c@b.example", bytes)
      mistake("UTF%-8", Auth.EmailAuthProvider.credential, bytes, "x")
      mistake("UTF%-8", Auth.OAuthProvider, bytes)
      mistake("UTF%-8", function() Auth.OAuthProvider("yahoo.com").customParameters = { [bytes] = "x" } end)
      mistake("UTF%-8", function() Auth.OAuthProvider("yahoo.com").scopes = { bytes } end)
      equal(#crypto.sha256(bytes), 64)
    end
    auth:signIn { email = "a@b.example", password = "caf\xC3\xA9 horse" }
    -- The same letters in another normal form are another password.
    refused("invalidCredential", auth.signIn, auth, { email = "a@b.example", password = "cafe\xCC\x81 horse" })
    refused("invalidCredential", auth.signIn, auth, { email = "a@b.example", password = "caf\xC3\xA9 horse\0x" })
    mistake("no option", http.get, emulator.origin, { ["json\0x"] = 1 })
  end)

  it("the number of an argument is the one in the usage", function()
    local function words(f, ...)
      return select(2, pcall(f, ...))
    end
    equal(words(function() Auth.OAuthProvider(5) end):match ": (.*)",
      "bad argument #1 to 'OAuthProvider' (string expected, got number; "
        .. "usage: Auth.OAuthProvider(providerID [, auth]))")
    equal(words(auth.signInWithEmail, auth, 5),
      "bad argument #1 to 'signInWithEmail' (string expected, got number; "
        .. "usage: auth:signInWithEmail(email, password))")
    equal(words(auth.signOut),
      "calling 'signOut' on bad self (Auth expected, got no value; usage: auth:signOut())")
  end)
end)
