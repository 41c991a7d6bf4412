-- Flows with a foreign OpenID server, as an app would do them; prints what came of it as JSON.
--
--   luath run --target HOST:PORT flow.lua -- ACTION PROVIDER USERNAME CONSENT [more]
--
-- The password is in OIDC_PASSWORD. OIDC_DELEGATE says who shows the pages, OIDC_SCRIPT which script
-- a browser follows, and OIDC_TAMPER what somebody does to the answer on its way.

local Auth <const> = require "luath.auth"
local crypto <const> = require "luath.crypto"
local glewlwyd <const> = require "glewlwyd"
local host <const> = require "luath.host"
local http <const> = require "luath.http"
local json <const> = require "luath.json"
local luath <const> = require "luath"
local ui <const> = require "luath.ui"

local action <const>, id <const>, username <const>, consent <const> = arg[1], arg[2], arg[3], arg[4]
local auth <const> = Auth.auth()
local provider <const> = Auth.OAuthProvider(id)
local answers <const> = {
  username = username,
  password = luath.secret "OIDC_PASSWORD",
  consent = consent == "true",
}

if host.env "OIDC_SCRIPT" == "glewlwyd" then
  function answers.script(page)
    glewlwyd.pass(page, answers.username, answers.password)
  end
end
local way <const> = host.env "OIDC_DELEGATE" or "form"
local person <const> = ui[way](answers)

-- The answer of the first sign-in of this run.
local earlier

--- What somebody between server and app makes of an answer.
local tampering <const> = {
  state = function(url) return (url:gsub("state=[^&]*", "state=forged")) end,
  noState = function(url) return (url:gsub("state=[^&]*&?", "")) end,
  replay = function() return earlier end,
  code = function(url)
    return (url:gsub("code=[^&]*", "code=" .. earlier:match "[?&]code=([^&]*)"))
  end,
  strangeCode = function(url) return (url:gsub("code=[^&]*", "code=of-another-server")) end,
  iss = function(url)
    return (url:gsub("iss=[^&]*", "") .. "&iss=https%3A%2F%2Fevil.example")
  end,
  origin = function(url) return (url:gsub("^http://[^/]*", "http://evil.example")) end,
  path = function(url) return (url:gsub("/__/auth/handler", "/__/auth/elsewhere")) end,
}
local tamper <const> = tampering[host.env "OIDC_TAMPER"]

--- Whom the sign-ins below go through.
local function delegate()
  if not tamper then return person end
  return function(request)
    local url <const> = ui.show(person, request.url, request.redirectURI)
    local first <const> = earlier == nil
    earlier = earlier or url
    local needsEarlier <const> = tamper == tampering.replay or tamper == tampering.code
    return needsEarlier and first and url or tamper(url)
  end
end

--- What a sign-in or a link gave.
local function told(result)
  local ways = {}
  for index, way in ipairs(result.user.providerData) do
    ways[index] = { id = way.providerID, uid = way.uid }
  end
  return {
    uid = result.user.uid,
    email = result.user.email,
    name = result.user.displayName,
    isNewUser = result.additionalUserInfo.isNewUser,
    profile = result.additionalUserInfo.profile,
    idToken = result.credential and result.credential.idToken,
    ways = ways,
    signInProvider = result.user:getIDTokenResult(true).signInProvider,
  }
end

local actions <const> = {}

function actions.signIn()
  return told(auth:signIn(provider, delegate()))
end

--- To an account with a password, made first.
function actions.link()
  auth:createUser(arg[5], "correct horse")
  return told(auth.currentUser:link(provider, delegate()))
end

--- By the code that a device shows; the person confirms it in a browser.
function actions.device()
  local device <const> = ui.device {
    issuer = arg[5],
    clientID = arg[6],
    clientSecret = luath.secret "OIDC_SECRET",
    prompt = function(info)
      local page <const> = require "luath.webdriver".open()
      page:go(info.verificationURIComplete)
      glewlwyd.pass(page, answers.username, answers.password)
      page:find { text = "Authorization complete" }
      page:close()
    end,
  }
  return told(auth:signIn(provider:getCredential(device)))
end

--- A good sign-in, and one whose answer has something of the first.
function actions.replay()
  local through <const> = delegate()
  local first <const> = auth:signIn(provider, through)
  auth:signOut()
  local _, problem <const> = luath.try(auth.signIn, auth, provider, through)
  return { uid = first.user.uid, refusal = problem and problem.code }
end

--- The app goes to the server itself, and gives the backend the ID token and the nonce.
function actions.manual()
  local issuer <const>, client <const>, secret <const> = arg[5], arg[6], luath.secret "OIDC_SECRET"
  local nonce <const>, said <const> = arg[7], crypto.random()
  local server <const> = http.get(issuer .. "/.well-known/openid-configuration"):json()
  local pkce <const> = crypto.pkce()
  local redirectURI <const> = "http://127.0.0.1/callback"
  local page <const> = server.authorization_endpoint .. "?" .. http.form {
    response_type = "code",
    client_id = client,
    redirect_uri = redirectURI,
    scope = "openid profile email",
    state = said,
    nonce = crypto.sha256(nonce),
    code_challenge = pkce.challenge,
    code_challenge_method = "S256",
  }
  local answer <const> = http.parseForm(ui.show(person, page, redirectURI))
  assert(answer.state == said, "the answer belongs to another sign-in")
  local tokens <const> = http.post(server.token_endpoint, {
    headers = { Authorization = "Basic " .. crypto.base64(client .. ":" .. secret) },
    form = {
      grant_type = "authorization_code",
      code = answer.code,
      redirect_uri = redirectURI,
      code_verifier = pkce.verifier,
    },
  }):json()
  assert(tokens.id_token, "the server gave no ID token")
  local _, wrong = luath.try(
    auth.signIn, auth, Auth.OAuthProvider.credential(id, tokens.id_token, "another " .. nonce))
  local result = told(auth:signIn(Auth.OAuthProvider.credential(id, tokens.id_token, nonce)))
  result.refusalOfWrongNonce = wrong and wrong.code
  return result
end

local result <const>, problem <const> = luath.try(actions[action])
if result then
  print(json.encode(result))
else
  local told <const> = type(problem) == "table" and problem or { message = tostring(problem) }
  print(json.encode {
    code = told.code,
    message = told.message,
    hint = told.hint,
    serverName = told.serverName,
    details = told.details,
  })
end
