local flows = require "support.flows"
local Auth = require "luath.auth"
local emulator = require "luath.emulator"
local http = require "luath.http"
local ui = require "luath.ui"

local auth = Auth.auth()
local equal, refused, mistake = flows.equal, flows.refused, flows.mistake
local provider, form, way = flows.provider, flows.form, flows.way

--- The parameters that luath sets itself, so that scripts cannot.
local reserved <const> = { "client_id", "response_type", "redirect_uri", "state", "scope", "response_mode" }

describe("parameters of identity providers", function()
  for _, id in ipairs { "microsoft.com", "yahoo.com", "oidc.corp" } do
    -- S3
    it("reserved parameters of " .. id .. " are refused by name", function()
      local one = Auth.OAuthProvider(id)
      one.customParameters = { prompt = "login" }
      -- Yahoo's response mode is free.
      for _, name in ipairs { table.unpack(reserved, 1, id == "yahoo.com" and 5 or 6) } do
        local function set() one.customParameters = { [name] = "mine" } end
        local err = refused("invalidCustomParameter", set)
        assert(err.message:find(name, 1, true) and err.message:find(id, 1, true), tostring(err))
        equal(one.customParameters.prompt, "login", "the parameters after a refusal")
        -- And when the script put it into the table later.
        one.customParameters[name] = "mine"
        refused("invalidCustomParameter", one.getCredential, one)
        refused("invalidCustomParameter", auth.signIn, auth, one)
        one.customParameters[name] = nil
      end
    end)
  end

  -- S3
  it("Yahoo does not reserve the response mode", function()
    local yahoo = provider("yahoo.com", "yuki@yahoo.example", { response_mode = "query" })
    equal(auth:signIn(yahoo).user.email, "yuki@yahoo.example")
  end)

  -- S2 S3 S4
  it("a parameter that only the backend refuses has the same code", function()
    for name, value in pairs { nonce = "x", code_challenge = "x", oauth_token = "x", tenant = "../../x" } do
      local one = provider("microsoft.com", "ada@contoso.example", { [name] = value })
      local err = refused("invalidCustomParameter", one.getCredential, one)
      assert(err.message:find(name, 1, true) and err.hint:find("customParameters", 1, true), tostring(err))
    end
  end)

  -- S2
  it("setting the parameters replaces them, and every value arrives", function()
    local one = provider("oidc.corp", "barbara@corp.example", { gone = "1" })
    one.customParameters = { login_hint = "barbara@corp.example", text = "a+b &=%ü#?", ["odd name"] = "1" }
    one:getCredential(function(page)
      local query = http.parseForm(page.url)
      equal(query.text, "a+b &=%ü#?")
      equal(query["odd name"], "1")
      equal(query.gone, nil)
      return ui.show(form "barbara@corp.example", page.url, page.redirectURI)
    end)
  end)

  -- S2 S3
  it("empty and senseless parameters are refused", function()
    local one = Auth.OAuthProvider "microsoft.com"
    local function set(value) return function() one.customParameters = value end end
    refused("invalidCustomParameter", set { prompt = "" })
    refused("invalidCustomParameter", set { [""] = "x" })
    local values = {
      { prompt = 1 }, { prompt = true }, { prompt = {} }, { "login" }, { [1.5] = "x" }, "prompt", 7, print,
    }
    for _, value in ipairs(values) do
      mistake("customParameters", set(value))
    end
    equal(next(one.customParameters), nil)
    one.customParameters.prompt = 7
    local ok, err = pcall(one.getCredential, one)
    assert(not ok and tostring(err):find("customParameters", 1, true), tostring(err))
  end)

  -- S5
  it("senseless scopes are refused", function()
    local one = Auth.OAuthProvider "microsoft.com"
    local function set(value) return function() one.scopes = value end end
    for _, value in ipairs { { 1 }, { true }, { {} }, "mail.read", 7, print, { "a", 2 } } do
      mistake("scopes", set(value))
    end
    for _, value in ipairs { { "two words" }, { "a,b" }, { "tab\t" }, { "ü" } } do
      refused("invalidCustomParameter", set(value))
    end
    equal(#one.scopes, 0)
    one.scopes = { "mail.read" }
    one.scopes[2] = 7
    mistake("scopes", one.getCredential, one)
  end)

  for _, id in ipairs {
    "microsoft", "", "oidc.", "oidc.a b", "oidc", "saml.", "password", "phone", "anonymous",
    "Microsoft.com", "microsoft.com ", "yahoo.co", "oidc./../x", "firebase",
  } do
    -- S1
    it(("the unknown provider id %q is refused at once"):format(id), function()
      equal(flows.requests("*", function()
        local err = refused("invalidProviderID", Auth.OAuthProvider, id)
        equal(err.rawValue, 17071)
        refused("invalidProviderID", Auth.OAuthProvider.credential, id, "token")
      end), 0)
    end)
  end

  -- S1
  it("the hint for a misspelt provider id is the nearest one", function()
    assert(refused("invalidProviderID", Auth.OAuthProvider, "microsof.com").hint:find("microsoft.com", 1, true))
    for _, id in ipairs { "microsoft.com", "yahoo.com", "google.com", "oidc.anything-1_x.y" } do
      equal(Auth.OAuthProvider(id).providerID, id)
      equal(tostring(Auth.OAuthProvider(id)), "OAuthProvider(" .. id .. ")")
    end
    mistake("bad argument", Auth.OAuthProvider)
    mistake("bad argument", Auth.OAuthProvider, 7)
  end)

  -- S27
  it("a provider that is off, or not set up, is refused", function()
    local users = {
      ["microsoft.com"] = "ada@contoso.example", ["yahoo.com"] = "yuki@yahoo.example",
      ["oidc.corp"] = "barbara@corp.example",
    }
    for id, email in pairs(users) do
      local one = provider(id, email)
      local credential = one:getCredential()
      emulator.configure { providers = { [id] = false } }
      local err = refused("operationNotAllowed", one.getCredential, one)
      equal(err.serverName, "OPERATION_NOT_ALLOWED")
      equal(err.rawValue, 17006)
      refused("operationNotAllowed", auth.signIn, auth, credential)
      emulator.configure { providers = { [id] = true } }
      assert(auth:signIn(one).user.uid)
    end
    emulator.configure { providers = { password = false, anonymous = false } }
    refused("operationNotAllowed", auth.createUser, auth, "a@b.example", "correct horse")
    refused("operationNotAllowed", auth.signIn, auth, { email = "a@b.example", password = "correct horse" })
    auth:signOut()
    local ok, err = pcall(auth.signInAnonymously, auth)
    assert(not ok and (err.code == "operationNotAllowed" or err.code == "adminRestrictedOperation"), tostring(err))
    local unknown = Auth.OAuthProvider "oidc.unknown"
    refused("operationNotAllowed", unknown.getCredential, unknown)
    local github = Auth.OAuthProvider "github.com"
    refused("operationNotAllowed", github.getCredential, github)
    refused("operationNotAllowed", auth.signIn, auth, Auth.FacebookAuthProvider.credential "token")
  end)

  -- S27
  it("pages come back only to the project's domains", function()
    local one = provider("microsoft.com", "ada@contoso.example")
    auth.customAuthDomain = "evil.example"
    local err = refused("unauthorizedDomain", one.getCredential, one)
    equal(err.rawValue, 17038)
    assert(err.message:find("evil.example", 1, true), tostring(err))
    auth.customAuthDomain = "not a domain/"
    refused("unauthorizedDomain", one.getCredential, one)
    auth.customAuthDomain = nil
    assert(auth:signIn(one).user.uid)
  end)
end)

describe("Yahoo", function()
  -- S1 S2 S5 S9
  it("a user signs in with the permissions the app has", function()
    local yahoo = provider("yahoo.com", "yuki@yahoo.example", { prompt = "login", language = "fr" })
    yahoo.scopes = { "mail-r", "sdct-w" }
    local result = auth:signIn(yahoo:getCredential(function(page)
      local query = http.parseForm(page.url)
      equal(query.prompt, "login")
      equal(query.language, "fr")
      equal(query.scope, "openid profile email mail-r sdct-w")
      local start = http.get(page.url)
      local first = http.get(emulator.origin .. start:header "location",
        { headers = { Cookie = start:header("set-cookie"):match "[^;]+" } })
      assert(first.body:find('lang="fr', 1, true), "the page is not in French")
      return ui.show(form "yuki@yahoo.example", page.url, page.redirectURI)
    end))
    equal(result.additionalUserInfo.isNewUser, true)
    equal(result.additionalUserInfo.providerID, "yahoo.com")
    equal(result.user.email, "yuki@yahoo.example")
    equal(result.user.photoURL, "https://s.yimg.example/yuki.png")
    assert(result.credential.accessToken and result.credential.idToken)
  end)

  -- S11
  it("the access token opens the profile under the uid of the user", function()
    local result = auth:signIn(provider("yahoo.com", "yuki@yahoo.example"))
    local uid = way(result.user, "yahoo.com").uid
    equal(result.additionalUserInfo.profile.sub, uid)
    local function profile(of, token)
      local url = "https://social.yahooapis.com/v1/user/%s/profile?format=json"
      return http.get(url:format(of), { bearer = token })
    end
    local token = result.credential.accessToken
    local answer = profile(uid, token)
    equal(answer.status, 200)
    equal(answer:json().profile.guid, uid)
    equal(answer:json().profile.givenName, "Yuki")
    equal(profile("SOMEBODYELSE", token).status, 403)
    equal(profile(uid, nil).status, 401)
    equal(profile(uid, "guessed").status, 401)
    -- A token of another provider opens nothing here.
    local other = auth:signIn(provider("microsoft.com", "ada@contoso.example")).credential.accessToken
    equal(profile(uid, other).status, 401)
  end)

  for _, scopes in ipairs { "mail-r", "mail-r sdct-r", "mail-r sdct-w one-more", "sdct-w" } do
    -- S6
    it("the scopes " .. scopes .. " are not the app's permissions and fail on Yahoo's page", function()
      local yahoo = provider("yahoo.com", "yuki@yahoo.example")
      local list = {}
      for scope in scopes:gmatch "%S+" do
        list[#list + 1] = scope
      end
      yahoo.scopes = list
      local err = refused("webSignInUserInteractionFailure", yahoo.getCredential, yahoo)
      assert(err.message:find("invalid_scope", 1, true) or err.serverName == "invalid_scope", tostring(err))
      equal(auth.currentUser, nil)
    end)
  end

  -- S6
  it("the order of the scopes does not matter, and none are needed", function()
    local yahoo = provider("yahoo.com", "yuki@yahoo.example")
    yahoo.scopes = { "sdct-w", "mail-r" }
    local uid = auth:signIn(yahoo).user.uid
    yahoo.scopes = {}
    equal(auth:signIn(yahoo).user.uid, uid)
  end)
end)
