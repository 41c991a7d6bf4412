--- Lesson 1: sign in with Microsoft, then read profile and photo from Microsoft Graph.
---
--- Shows tenants, scopes, the access token, and which of Microsoft's ids is whose.
---
--- Usage: luath run scripts/01-microsoft.lua
---
--- Sample output:
---
---     signed in     Ada Lovelace <ada@contoso.example>, a new account: yes
---     Graph         Ada Lovelace, Engineer
---     photo         9398 bytes of PNG
---     wrong tenant  grace@fabrikam.example is turned away: webSignInUserInteractionFailure
---     work          oid 6d3d96e7-199b-4fd7-82a3-fa97351ad8af
---                   uid 6d3d96e7-199b-4fd7-82a3-fa97351ad8af (the same)
---     personal      oid 00000000-0000-0000-8c16-c8ada38a33a3
---                   uid 8c16c8ada38a33a3 (its last 16 digits)

local Auth <const> = require "luath.auth"
local crypto <const> = require "luath.crypto"
local emulator <const> = require "luath.emulator"
local http <const> = require "luath.http"
local luath <const> = require "luath"

-- An emulator of its own begins empty; one that others use too may not.
emulator.clear()
local auth <const> = Auth.auth()

--- Shows Microsoft's sign-in page to a user and returns the credential.
local function microsoft(email, tenant)
  local provider = Auth.OAuthProvider "microsoft.com"
  -- The data that Microsoft may send besides the basic profile.
  provider.scopes = { "mail.read", "calendars.read" }
  -- What the page is asked to do. Without `tenant`, any Microsoft account may sign in.
  provider.customParameters = { prompt = "consent", login_hint = email, tenant = tenant }
  -- On the emulator luath fills in the page as the person of login_hint. To show it in another
  -- way, pass a delegate: docs/scripting.md, luath.ui.
  return provider:getCredential()
end

--- A user's uid at Microsoft, as the account has it.
local function uidAtMicrosoft(user)
  for _, way in ipairs(user.providerData) do
    if way.providerID == "microsoft.com" then
      return way.uid
    end
  end
end

-- 1. A work account, admitted by its own tenant.
local ada <const> = auth:signIn(microsoft("ada@contoso.example", "contoso.example"))
local isNew <const> = ada.additionalUserInfo.isNewUser
print(("signed in     %s <%s>, a new account: %s"):format(
  ada.user.displayName, ada.user.email, isNew and "yes" or "no"))
assert(ada.user.email == "ada@contoso.example", "another person than asked for")
assert(isNew, "the first sign-in must make the account")

-- 2. The access token opens what the scopes name. On the emulator, graph.microsoft.com is it.
local function graph(path)
  return http.get("https://graph.microsoft.com" .. path, { bearer = ada.credential.accessToken })
end

local me <const> = graph("/v1.0/me"):json()
print(("Graph         %s, %s"):format(me.displayName, me.jobTitle))
assert(me.mail == ada.user.email, "Graph's profile is of somebody else")

-- Microsoft has no address for the photo: the token fetches its bytes.
local photo <const> = graph("/v1.0/me/photo/$value")
print(("photo         %d bytes of PNG"):format(#photo.body))
assert(photo.ok and photo.body:sub(1, 8) == "\x89PNG\r\n\x1a\n", "the photo is no PNG")
assert(ada.user.photoURL == nil, "Microsoft sent an address of the photo")
local stranger <const> = http.get("https://graph.microsoft.com/v1.0/me")
assert(stranger.status == 401, "Graph accepted a request without a token")

-- 3. A person of another tenant is turned away on Microsoft's page.
local nothing, refusal <const> = luath.try(microsoft, "grace@fabrikam.example", "contoso.example")
assert(nothing == nil, "the tenant admitted a stranger")
print("wrong tenant  grace@fabrikam.example is turned away: " .. refusal.code)
assert(refusal.message:find("AADSTS50020", 1, true), "turned away for another reason")

-- 4. Whose id is which? `sub` differs from app to app. `oid` is the same everywhere, and the uid
-- that Firebase keeps comes from it: for a work account it is the oid itself.
local claims <const> = crypto.claims(ada.credential.idToken)
local uid <const> = uidAtMicrosoft(ada.user)
print("work          oid " .. claims.oid)
print(("              uid %s (the same)"):format(uid))
assert(uid == claims.oid, "a work account's uid is its oid")
assert(claims.sub ~= claims.oid, "sub belongs to one app only")

-- A personal account has no tenant, and its oid is the uid filled up with zeros.
local alan <const> = auth:signIn(microsoft "alan@outlook.example")
local personal <const> = crypto.claims(alan.credential.idToken)
local short <const> = uidAtMicrosoft(alan.user)
print("personal      oid " .. personal.oid)
print(("              uid %s (its last 16 digits)"):format(short))
assert(#short == 16, "a personal account's uid has 16 digits")
assert(personal.oid:gsub("-", "") == ("0"):rep(16) .. short, "the oid is the padded uid")

auth:signOut()
assert(auth.currentUser == nil, "somebody is still signed in")
