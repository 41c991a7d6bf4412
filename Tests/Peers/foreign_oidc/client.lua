-- luath.oidc as a client of its own at a foreign server, without Firebase; prints what came of it as
-- JSON.
--
--   luath run client.lua -- ACTION ISSUER CLIENT USERNAME CONSENT
--
-- OIDC_SECRET is the client's and OIDC_PASSWORD the person's; OIDC_DELEGATE says who shows the pages.

local crypto <const> = require "luath.crypto"
local host <const> = require "luath.host"
local json <const> = require "luath.json"
local luath <const> = require "luath"
local oidc <const> = require "luath.oidc"
local ui <const> = require "luath.ui"

local action <const>, issuer <const>, id <const> = arg[1], arg[2], arg[3]
local callback <const> = host.env "OIDC_CALLBACK" or "http://127.0.0.1/callback"

local function registered()
  return oidc.client {
    issuer = issuer,
    clientID = id,
    clientSecret = host.env "OIDC_SECRET",
    redirectURI = callback,
  }
end

local person <const> = ui[host.env "OIDC_DELEGATE" or "form"] {
  username = arg[4],
  password = luath.secret "OIDC_PASSWORD",
  consent = arg[5] == "true",
  keepsSession = host.env "OIDC_KEEPS" == "yes" or nil,
}

--- Begins a sign-in and shows its page; `change` may spoil the address before.
local function shown(client, change)
  local flow <const> = client:begin {}
  local url <const> = change and change(flow.url) or flow.url
  return flow, ui.show(person, url, callback)
end

local actions <const> = {}

--- Everything that works: sign-in, userinfo, refresh, revocation.
function actions.whole()
  local client <const> = registered()
  local tokens <const> = client:signIn(person)
  local told <const> = client:userinfo(tokens)
  local fresh <const> = tokens.refreshToken and client:refresh(tokens)
  local _, used = nil, nil
  if fresh then _, used = luath.try(client.refresh, client, tokens.refreshToken) end
  local checked <const> = client:verify(tokens.idToken, { rawNonce = tokens.rawNonce })
  return {
    sub = tokens.claims.sub,
    checked = checked.sub,
    userinfo = told,
    kid = crypto.header and crypto.header(tokens.idToken).kid,
    freshAccess = fresh and fresh.accessToken ~= tokens.accessToken,
    usedRefresh = used and { code = used.code, providerError = used.providerError },
    audience = tokens.claims.aud,
  }
end

--- Only the sign-in.
function actions.signIn()
  return { sub = registered():signIn(person).claims.sub }
end

--- One answer of the server, taken twice.
function actions.twice()
  local client <const> = registered()
  local flow <const>, url <const> = shown(client)
  client:finish(flow, url)
  return client:finish(flow, url) and {}
end

--- The code of one sign-in in the answer of another, so that the server sees it twice.
function actions.usedCode()
  local client <const> = registered()
  local first <const>, url <const> = shown(client)
  client:finish(first, url)
  local second <const>, other <const> = shown(client)
  return client:finish(second, (other:gsub("code=[^&]*", url:match "code=[^&]*"))) and {}
end

--- The code of a sign-in that somebody else began: PKCE's verifier is another.
function actions.injectedCode()
  local client <const> = registered()
  local _, url <const> = shown(client)
  local mine <const>, other <const> = shown(client)
  return client:finish(mine, (other:gsub("code=[^&]*", url:match "code=[^&]*"))) and {}
end

function actions.forgedState()
  local client <const> = registered()
  local flow <const>, url <const> = shown(client)
  return client:finish(flow, (url:gsub("state=[^&]*", "state=forged"))) and {}
end

function actions.forgedIssuer()
  local client <const> = registered()
  local flow <const>, url <const> = shown(client)
  local without <const> = url:gsub("&iss=[^&]*", "")
  return client:finish(flow, without .. "&iss=https%3A%2F%2Fevil.example") and {}
end

--- The server is asked with another nonce than ours, as when a token of elsewhere is slipped in.
function actions.forgedNonce()
  local client <const> = registered()
  local flow <const>, url <const> = shown(client, function(page)
    return (page:gsub("nonce=[^&]*", "nonce=" .. crypto.random()))
  end)
  return client:finish(flow, url) and {}
end

--- Signing out: afterwards the server asks who it is.
function actions.logout()
  local client <const> = registered()
  local tokens <const> = client:signIn(person)
  client:signIn(person, { prompt = "none" })
  client:logout(tokens, person, { redirectURI = callback .. "/signed-out" })
  local _, problem <const> = luath.try(client.signIn, client, person, { prompt = "none" })
  return { sub = tokens.claims.sub, code = problem and problem.code, word = problem.providerError }
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
    providerError = told.providerError,
  })
end
