local flows = require "support.flows"
local Auth = require "luath.auth"
local admin = require "luath.admin"
local crypto = require "luath.crypto"
local emulator = require "luath.emulator"
local json = require "luath.json"

local auth = Auth.auth()
local equal, refused, mistake = flows.equal, flows.refused, flows.mistake
local provider, ways = flows.provider, flows.ways


describe("luath.crypto", function()
  it("known answers", function()
    equal(crypto.sha256 "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    equal(crypto.sha256 "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    equal(crypto.base64url "\0\xFF\xFE~?", "AP_-fj8")
    equal(crypto.base64 "\0\xFF\xFE~?", "AP/+fj8=")
    equal(crypto.base64 "", "")
    equal(crypto.equal("a\xE9", "a\xE9"), true)
    equal(crypto.equal("a\xE9", "a\xE8"), false)
    equal(crypto.equal("a", "ab"), false)
  end)

  -- S22
  it("random texts and verifiers differ and have their form", function()
    local seen = {}
    for _ = 1, 100 do
      local text, pair = crypto.random(), crypto.pkce()
      assert(#text == 43 and text:match "^[%w_-]+$")
      assert(#pair.verifier >= 43 and #pair.verifier <= 128 and pair.verifier:match "^[%w._~-]+$")
      assert(#pair.challenge == 43 and pair.challenge ~= pair.verifier)
      assert(not seen[text] and not seen[pair.verifier])
      seen[text], seen[pair.verifier] = true, true
    end
    equal(#crypto.random(16), 22)
    for _, count in ipairs { 0, 15, 1025, -1 } do mistake("between", crypto.random, count) end
    mistake("bad argument", crypto.random, 16.5)
  end)

  it("claims are read without trust, and nonsense is refused", function()
    local payload = crypto.base64url '{"n":9007199254740993,"list":[],"no":null}'
    local token = crypto.base64url '{"alg":"none"}' .. "." .. payload .. "."
    local claims = crypto.claims(token)
    equal(claims.n, 9007199254740993)
    equal(claims.no, json.null)
    for _, text in ipairs {
      "", "a", "a.b", "a.b.c", "..", crypto.base64url "[]" .. ".e30.", "e30." .. crypto.base64url "7" .. ".",
      ("x"):rep(100000),
    } do
      local err = refused("malformedJWT", crypto.claims, text)
      assert(text == "" or #text < 5 or not tostring(err):find(text, 1, true))
    end
    mistake("bad argument", crypto.claims)
  end)
end)

describe("custom tokens", function()
  -- S18 S24
  it("a custom token signs in the uid and claims it names", function()
    local account = emulator.serviceAccount()
    local uid = "yahoo:Ü-1"
    local result = auth:signInWithCustomToken(admin.customToken(account, uid, { plan = "gold", seats = 3 }))
    equal(result.user.uid, uid)
    equal(result.additionalUserInfo.isNewUser, true)
    equal(result.additionalUserInfo.providerID, "")
    equal(result.credential, nil)
    equal(#result.user.providerData, 0)
    equal(result.user.isAnonymous, false)
    local token = result.user:getIDTokenResult()
    equal(token.claims.plan, "gold")
    equal(token.claims.seats, 3)
    equal(token.signInProvider, "custom")
    equal(token.claims.sub, uid)
    -- The claims outlive a refresh, and the second sign-in finds the account.
    equal(result.user:getIDTokenResult(true).claims.plan, "gold")
    local again = auth:signIn { customToken = admin.customToken(account, uid) }
    equal(again.additionalUserInfo.isNewUser, false)
    equal(again.user:getIDTokenResult().claims.plan, nil)
    -- The sanctioned way round: what was signed in so can link a real provider.
    again.user:link(provider("yahoo.com", "yuki@yahoo.example"))
    equal(ways(again.user), "yahoo.com")
    equal(auth:signIn(provider("yahoo.com", "yuki@yahoo.example")).user.uid, uid)
  end)

  -- S18
  it("tokens that are forged, old or of another project are refused", function()
    local account = emulator.serviceAccount()
    local good = admin.customToken(account, "u1")
    local function refuse(token, code)
      local err = refused(code or "invalidCustomToken", auth.signInWithCustomToken, auth, token)
      assert(token == "" or not tostring(err):find(token, 1, true))
      return err
    end
    equal(refuse(flows.bent(good)).rawValue, 17000)
    refuse(flows.forged(good, { uid = "u2" }))
    refuse(flows.forged(good, { aud = "https://example.com" }))
    refuse("a.b.c")
    refuse("not a token")
    refuse("")
    local stranger = "a@b.iam.gserviceaccount.com"
    local err = refuse(flows.forged(good, { iss = stranger, sub = stranger }), "customTokenMismatch")
    equal(err.rawValue, 17002)
    local other = {}
    for name, value in pairs(account) do other[name] = value end
    other.client_email = "luath@another.iam.gserviceaccount.com"
    refuse(admin.customToken(other, "u1"), "customTokenMismatch")
    refuse(admin.customToken(account, "u1", { aud = "mine" }), "invalidClaims")
    equal(auth.currentUser, nil)
    emulator.advance(3901)
    refuse(good)
    assert(auth:signInWithCustomToken(admin.customToken(account, "u1")).user.uid == "u1")
  end)

  -- S18
  it("what cannot be signed says why", function()
    local account = emulator.serviceAccount()
    mistake("1 to 128", admin.customToken, account, "")
    mistake("1 to 128", admin.customToken, account, ("u"):rep(129))
    refused("invalidServiceAccount", admin.customToken, {}, "u1")
    mistake("claims have names", admin.customToken, account, "u1", { "gold" })
    assert(admin.customToken(account, "u1", {}))
    local err = refused("invalidServiceAccount", admin.customToken,
      { client_email = "a@b.example", private_key = "-----BEGIN SECRET-----nonsense" }, "u1")
    assert(not tostring(err):find "nonsense")
  end)
end)
