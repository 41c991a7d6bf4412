-- Keeps every secret that it meets in one list and every text that it sees in another.
local secrets, texts = {}, {}
local function keep(...)
  for _, secret in ipairs { ... } do
    assert(type(secret) == "string" and #secret >= 6, "no secret: " .. tostring(secret))
    secrets[#secrets + 1] = secret
  end
end
local function hear(...)
  for _, value in ipairs { ... } do
    texts[#texts + 1] = tostring(value)
    if type(value) == "table" then
      for _, name in ipairs { "message", "hint", "traceback", "where", "serverName", "name" } do
        if value[name] then texts[#texts + 1] = tostring(value[name]) end
      end
      if value.details then texts[#texts + 1] = json.encode(value.details) end
      if value.pendingCredential then texts[#texts + 1] = tostring(value.pendingCredential) end
    end
  end
end
local function fail(f, ...)
  local ok, err = pcall(f, ...)
  assert(not ok, "nothing was refused")
  hear(err)
  return err
end
local function tokens(user)
  keep(user:getIDToken(), user.refreshToken)
  hear(user, user:getIDTokenResult().signInProvider)
end
local function result(made)
  tokens(made.user)
  if made.credential then
    hear(made.credential)
    for _, name in ipairs { "idToken", "accessToken", "secret" } do
      if made.credential[name] then keep(made.credential[name]) end
    end
  end
  return made
end
-- A person whose way back is watched.
local function watched(id, email, parameters)
  local one = provider(id, email, parameters)
  return one:getCredential(function(page)
    local query = http.parseForm(page.url)
    keep(query.state, query.nonce, query.code_challenge)
    local address = ui.show(form(email), page.url, page.redirectURI)
    local answer = http.parseForm(address)
    keep(answer.code or answer.id_token)
    hear(page.providerID, form(email))
    return address
  end)
end
keep(flows.password)

local password, other = "correct horse %41 &=", "battery+staple/7"
keep(password, other)
result(auth:createUser("ada@contoso.example", password))
hear(Auth.EmailAuthProvider.credential("ada@contoso.example", password))
fail(auth.signIn, auth, { email = "ada@contoso.example", password = other })
fail(auth.createUser, auth, "ada@contoso.example", other)
fail(auth.createUser, auth, other, password)
fail(auth.signIn, auth, { email = "ada@contoso.example", passwort = other })
auth:signOut()

local credential = watched("microsoft.com", "ada@contoso.example")
hear(credential)
local err = fail(auth.signIn, auth, credential)
keep(err.pendingCredential.idToken, err.pendingCredential.accessToken)
fail(auth.signIn, auth, credential)
result(auth:signIn { email = "ada@contoso.example", password = password })
result(auth.currentUser:link(err.pendingCredential))
fail(auth.currentUser.link, auth.currentUser, err.pendingCredential)
auth.currentUser:updatePassword(other)
tokens(auth.currentUser)
fail(auth.currentUser.updatePassword, auth.currentUser, "")
fail(auth.currentUser.unlink, auth.currentUser, "yahoo.com")
result(auth.currentUser:reauthenticate(watched("microsoft.com", "ada@contoso.example")))

local yuki = result(auth:signIn(watched("yahoo.com", "yuki@yahoo.example")))
http.get("https://social.yahooapis.com/v1/user/me/profile", { bearer = yuki.credential.accessToken })
fail(http.get, "http://127.0.0.1:1/?token=" .. yuki.credential.accessToken, { bearer = yuki.credential.accessToken })
fail(http.get, "http://user:" .. other:gsub("%W", "") .. "1@127.0.0.1:1/")
keep(other:gsub("%W", "") .. "1")
local raw = Auth.OAuthProvider.credential("yahoo.com", yuki.credential.idToken, nil, yuki.credential.accessToken)
hear(raw)
fail(auth.signIn, auth, raw)
fail(auth.signIn, auth, Auth.OAuthProvider.credential("oidc.corp", yuki.credential.idToken, password))
fail(auth.signIn, auth, Auth.GoogleAuthProvider.credential(flows.bent(yuki.credential.idToken)))
result(auth:signIn(watched("oidc.implicit", "barbara@corp.example")))
fail(watched, "oidc.corp", "nobody@corp.example")
local callback = "http://127.0.0.1:8910/callback"
local authorize = "https://login.microsoftonline.com/common/oauth2/v2.0/authorize?" .. http.form {
  response_type = "code", scope = "openid", client_id = "luath-client-microsoft.com", state = password,
  redirect_uri = callback, login_hint = "ada@contoso.example",
}
fail(ui.show, form("ada@contoso.example", { password = other }), authorize, callback)
fail(Auth.OAuthProvider("microsoft.com").getCredential, Auth.OAuthProvider "microsoft.com", function(page)
  return page.redirectURI .. "?" .. http.form { code = other, state = password }
end)
fail(Auth.OAuthProvider("microsoft.com").getCredential, Auth.OAuthProvider "microsoft.com", function(page)
  local state = http.parseForm(page.url).state
  return page.redirectURI .. "?" .. http.form {
    error = "access_denied", error_description = "no " .. state, state = state,
  }
end)

local settings = { url = "http://localhost/", handleCodeInApp = true }
auth:sendSignInLink("ada@letter.example", settings)
local link, letter = flows.letter()
keep(letter.code, link)
hear(Auth.EmailAuthProvider.credentialWithLink("ada@letter.example", link))
fail(auth.signInWithEmailLink, auth, "b@letter.example", link)
result(auth:signInWithEmailLink("ada@letter.example", link))
fail(auth.signInWithEmailLink, auth, "ada@letter.example", link)
fail(auth.applyActionCode, auth, link)
fail(Auth.EmailAuthProvider.credentialWithLink, "ada@letter.example", letter.code)
auth:sendPasswordReset "ada@letter.example"
local code = flows.code()
keep(code)
fail(auth.confirmPasswordReset, auth, code, "five5")
fail(auth.applyActionCode, auth, code)
auth.recaptchaToken = "a-token-of-a-page"
keep(auth.recaptchaToken)
hear(auth)
emulator.setFaults { { operation = "sendOobCode", error = "INVALID_RECAPTCHA_TOKEN", count = 1 } }
fail(auth.sendPasswordReset, auth, "ada@letter.example")
emulator.setFaults {}
auth:confirmPasswordReset(code, other)
fail(auth.confirmPasswordReset, auth, code, other)
fail(auth.validatePassword, auth, {}, other)

local account = emulator.serviceAccount()
for line in account.private_key:gmatch "[%w+/=]+" do if #line > 30 then keep(line) end end
local custom = admin.customToken(account, "u1", { plan = "gold" })
keep(custom)
result(auth:signInWithCustomToken(custom))
fail(auth.signInWithCustomToken, auth, flows.bent(custom))
fail(admin.customToken, { client_email = "a@b.example", private_key = account.private_key:sub(1, 300) }, "u1")
fail(crypto.claims, custom .. "." .. custom)
local pkce = crypto.pkce()
keep(pkce.verifier)
emulator.advance(4000)
tokens(auth.currentUser)
fail(http.post("https://oauth2.googleapis.com/token", { form = { code = pkce.verifier, client_secret = other } }).json,
  http.get(emulator.origin .. "/__/auth/handler"))
local renewal = { refreshToken = auth.currentUser.refreshToken }
http.post(emulator.origin .. "/securetoken.googleapis.com/v1/token?key=k", { json = renewal })
local unknown = http.get(emulator.origin .. "/x?password=" .. password:gsub("%W", ""))
hear(auth, Auth.session(), task.spawn(function() end), unknown)
keep((password:gsub("%W", "")))
flows.answer { secrets = secrets, texts = texts }
