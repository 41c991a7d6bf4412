local flows = require "support.flows"
local Auth = require "luath.auth"
local crypto = require "luath.crypto"
local emulator = require "luath.emulator"
local http = require "luath.http"
local ui = require "luath.ui"

local auth = Auth.auth()
local equal, refused = flows.equal, flows.refused
local provider, form, way = flows.provider, flows.form, flows.way


describe("Microsoft", function()
  -- S1 S2 S4 S5 S7 S8 S9
  it("a work account signs in as the guide says", function()
    local microsoft = provider("microsoft.com", "ada@contoso.example",
      { prompt = "consent", tenant = "contoso.example", domain_hint = "contoso.example" })
    microsoft.scopes = { "mail.read", "calendars.read" }
    local seen
    local credential = microsoft:getCredential(function(page)
      seen = page
      return ui.show(form "ada@contoso.example", page.url, page.redirectURI)
    end)
    equal(seen.providerID, "microsoft.com")
    equal(seen.loginHint, "ada@contoso.example")
    assert(seen.url:find("/login.microsoftonline.com/contoso.example/oauth2/v2.0/authorize", 1, true))
    local query = http.parseForm(seen.url)
    equal(query.prompt, "consent")
    equal(query.login_hint, "ada@contoso.example")
    equal(query.domain_hint, "contoso.example")
    equal(query.tenant, nil, "the tenant beside the path")
    equal(query.scope, "openid profile email User.Read mail.read calendars.read")
    equal(query.response_type, "code")
    equal(query.code_challenge_method, "S256")
    equal(query.redirect_uri, seen.redirectURI)
    assert(#query.state >= 32 and #query.nonce == 64)

    -- No token yet, and nobody signed in: the credential is the way back from the page.
    equal(credential.providerID, "microsoft.com")
    equal(credential.accessToken, nil)
    equal(auth.currentUser, nil)

    local result = auth:signIn(credential)
    local user, info = result.user, result.additionalUserInfo
    equal(auth.currentUser.uid, user.uid)
    equal(user.email, "ada@contoso.example")
    equal(user.displayName, "Ada Lovelace")
    equal(user.isEmailVerified, false, "trust in a work domain")
    equal(user.isAnonymous, false)
    equal(user.tenantID, nil, "the Identity Platform tenant")
    equal(user.providerID, "Firebase")
    equal(user.photoURL, nil, "Microsoft's photo address")
    equal(info.isNewUser, true)
    equal(info.providerID, "microsoft.com")
    equal(info.profile.displayName, "Ada Lovelace")
    equal(info.profile.mail, "ada@contoso.example")
    equal(info.profile.userPrincipalName, "ada@contoso.example")
    equal(info.profile.id, way(user, "microsoft.com").uid)
    assert(#result.credential.accessToken > 20 and #result.credential.idToken > 100)
    assert(result.credential.expiresIn > 3000 and math.type(result.credential.expiresIn) == "integer")
  end)

  -- S4
  it("a person of another tenant is turned away", function()
    local err = refused("webSignInUserInteractionFailure", function()
      provider("microsoft.com", "grace@fabrikam.example", { tenant = "contoso.example" }):getCredential()
    end)
    assert(err.message:find("AADSTS50020", 1, true), err.message)
    equal(err.rawValue, 17063)
    equal(auth.currentUser, nil)
  end)

  -- S4
  describe("a tenant admits its own:", function()
    for _, case in ipairs {
      { "common", "ada@contoso.example", true }, { "common", "alan@outlook.example", true },
      { "organizations", "ada@contoso.example", true }, { "organizations", "alan@outlook.example", false },
      { "consumers", "alan@outlook.example", true }, { "consumers", "ada@contoso.example", false },
      { "fabrikam.example", "grace@fabrikam.example", true },
      { "fabrikam.example", "alan@outlook.example", false },
      { "nowhere.example", "ada@contoso.example", false },
    } do
      local tenant, email, admits = table.unpack(case)
      it(("%s %s %s"):format(tenant, admits and "admits" or "refuses", email), function()
        local one = provider("microsoft.com", email, { tenant = tenant })
        if admits then
          equal(auth:signIn(one).user.email, email)
        else
          refused("webSignInUserInteractionFailure", auth.signIn, auth, one)
          equal(auth.currentUser, nil)
        end
      end)
    end
  end)

  -- S4
  it("a tenant may be named by its GUID, and common is the default", function()
    local guid
    for _, person in ipairs(emulator.people()) do
      if person.email == "ada@contoso.example" then guid = person.microsoft.tenantId end
    end
    local claims = crypto.claims(
      auth:signIn(provider("microsoft.com", "ada@contoso.example", { tenant = guid })).credential.idToken)
    equal(claims.tid, guid)
    refused("webSignInUserInteractionFailure", auth.signIn, auth,
      provider("microsoft.com", "grace@fabrikam.example", { tenant = guid }))
    Auth.OAuthProvider("microsoft.com"):getCredential(function(page)
      assert(page.url:find("/common/oauth2/v2.0/authorize", 1, true), "another default tenant")
      return ui.show(form "grace@fabrikam.example", page.url, page.redirectURI)
    end)
  end)

  -- S10
  it("the access token opens Graph's profile and photo", function()
    local result = auth:signIn(provider("microsoft.com", "ada@contoso.example"))
    local token = result.credential.accessToken
    local me = http.get("https://graph.microsoft.com/v1.0/me", { bearer = token })
    equal(me.status, 200)
    equal(me:json().displayName, "Ada Lovelace")
    equal(me:json().id, way(result.user, "microsoft.com").uid)
    local photo = http.get("https://graph.microsoft.com/v1.0/me/photo/$value", { bearer = token })
    equal(photo:header("content-type"), "image/png")
    equal(photo.body:sub(1, 8), "\x89PNG\r\n\x1a\n", "the photo's signature")
    equal(result.user.photoURL, nil)
    equal(http.get("https://graph.microsoft.com/v1.0/me").status, 401)
    equal(http.get("https://graph.microsoft.com/v1.0/me", { bearer = token .. "x" }).status, 401)
    -- The token ages with the emulator's clock.
    emulator.advance(result.credential.expiresIn + 1)
    equal(http.get("https://graph.microsoft.com/v1.0/me", { bearer = token }).status, 401)
  end)

  -- S12
  it("oid matches the federated uid, and sub is the app's own", function()
    local work = auth:signIn(provider("microsoft.com", "ada@contoso.example", { tenant = "contoso.example" }))
    local claims = crypto.claims(work.credential.idToken)
    equal(claims.oid, way(work.user, "microsoft.com").uid)
    assert(claims.sub ~= claims.oid)
    equal(claims.aud, "luath-client-microsoft.com")

    local personal = auth:signIn(provider("microsoft.com", "alan@outlook.example"))
    local claims, uid = crypto.claims(personal.credential.idToken), way(personal.user, "microsoft.com").uid
    assert(uid:match "^%x+$" and #uid == 16, uid)
    equal(claims.oid, ("00000000-0000-0000-%s-%s"):format(uid:sub(1, 4), uid:sub(5)))
    assert(claims.sub ~= claims.oid)
  end)

  -- S5
  it("a scope that does not exist ends the flow with the provider's words", function()
    local one = provider("microsoft.com", "ada@contoso.example")
    one.scopes = { "nosuchscope" }
    local err = refused("webSignInUserInteractionFailure", auth.signIn, auth, one)
    equal(err.serverName, "invalid_scope")
    equal(err.details.error, "invalid_scope")
    assert(err.message:find("nosuchscope", 1, true), err.message)
    -- An empty scope is none, as the SDK's default is a list with an empty string.
    one.scopes = { "", "mail.read", "" }
    one:getCredential(function(page)
      equal(http.parseForm(page.url).scope, "openid profile email User.Read mail.read")
      return ui.show(form "ada@contoso.example", page.url, page.redirectURI)
    end)
  end)

  -- S17
  it("raw tokens of Microsoft and Yahoo are refused", function()
    local signInWithIdp = emulator.origin .. "/identitytoolkit.googleapis.com/v1/accounts:signInWithIdp?key=k"
    local function refuses(id, email)
      local tokens = auth:signIn(provider(id, email)).credential
      auth:signOut()
      local accessToken, idToken = tokens.accessToken, tokens.idToken
      for _, words in ipairs { { nil, accessToken }, { idToken, nil }, { idToken, accessToken } } do
        local raw = Auth.OAuthProvider.credential(id, words[1], nil, words[2])
        local err = refused("invalidCredential", auth.signIn, auth, raw)
        equal(err.rawValue, 17004)
        assert(err.message:find("audience", 1, true) and err.hint:find("custom token", 1, true), tostring(err))
      end
      equal(auth.currentUser, nil)
      -- And by the backend itself, for a caller that does without luath's client.
      local answer = http.post(signInWithIdp, {
        json = {
          requestUri = "http://localhost", returnSecureToken = true,
          postBody = http.form { providerId = id, access_token = accessToken, id_token = idToken },
        },
      })
      equal(answer.status, 400)
      assert(answer:json().error.message:find("^INVALID_CREDENTIAL_OR_PROVIDER_ID"), answer.body)
    end
    -- A sign-in, three refusals, and one without luath's client.
    equal(flows.requests("signInWithIdp", refuses, "microsoft.com", "ada@contoso.example"), 5)
    equal(flows.requests("signInWithIdp", refuses, "yahoo.com", "yuki@yahoo.example"), 5)
  end)

  -- S17
  it("the code is bound to client, secret and verifier", function()
    local function page(fields)
      local all = { response_type = "code", client_id = "luath-client-microsoft.com", scope = "openid",
        redirect_uri = "http://127.0.0.1:8910/callback", state = "s" }
      for name, value in pairs(fields) do all[name] = value end
      local url = "https://login.microsoftonline.com/common/oauth2/v2.0/authorize?" .. http.form(all)
      return http.parseForm(ui.show(form "ada@contoso.example", url, all.redirect_uri)).code
    end
    local pkce = crypto.pkce()
    local function redeem(fields)
      local all = { grant_type = "authorization_code", redirect_uri = "http://127.0.0.1:8910/callback",
        client_id = "luath-client-microsoft.com", client_secret = "luath-secret-microsoft.com",
        code_verifier = pkce.verifier,
        code = page { code_challenge = pkce.challenge, code_challenge_method = "S256" } }
      for name, value in pairs(fields) do all[name] = value end
      return http.post("https://login.microsoftonline.com/common/oauth2/v2.0/token", { form = all })
    end
    equal(redeem({}).status, 200)
    for name, value in pairs { client_secret = "wrong", client_id = "other", code_verifier = crypto.pkce().verifier,
      redirect_uri = "http://127.0.0.1:8910/other", code = "guessed" } do
      local answer = redeem { [name] = value }
      assert(answer.status == 400 or answer.status == 401, name .. " was accepted")
      assert(answer:json().access_token == nil)
    end
  end)
end)
