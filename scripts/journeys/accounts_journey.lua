--- The account behind a sign-in: made once, found again, described, left and deleted.
local Auth <const> = require "luath.auth"
local emulator <const> = require "luath.emulator"
local expect <const> = require "luath.expect"
local journey <const> = require "luath.journey"

journey.configure { tags = { "accounts" } }

journey("the first sign-in makes the account, later ones find it by any linked way", {
  tags = { "smoke" },
}, function(j)
  local ada <const> = j.users:new { name = "Ada Lovelace" }
  local first <const> = ada:signIn "google.com"
  expect.truthy(first.additionalUserInfo.isNewUser)
  ada:link "microsoft.com"
  for _, way in ipairs { "google.com", "microsoft.com" } do
    j:step(("she comes back with %s"):format(way), function()
      ada:signOut()
      local again <const> = ada:signIn(way)
      expect.falsy(again.additionalUserInfo.isNewUser, way .. " made another account")
      expect.equal(again.user.uid, first.user.uid)
    end)
  end
end)

journey("the profile, the sign-in methods and the token's claims are of one person", function(j)
  local yuki <const> = j.users:new {
    name = "Yuki Tanaka", photo = "https://s.yimg.example/yuki.png",
  }
  local user <const> = yuki:signIn("yahoo.com", { scopes = { "mail-r", "sdct-w" } }).user
  expect.equal(user.displayName, "Yuki Tanaka")
  expect.equal(user.photoURL, "https://s.yimg.example/yuki.png")
  expect.same(yuki:signInMethods(), { "yahoo.com" })
  expect.equal(user.providerData[1].email, yuki.email)
  j:step("security rules see the account's uid and how it signed in", function()
    local token <const> = user:getIDTokenResult()
    expect.equal(token.claims.sub, user.uid)
    expect.equal(token.claims.user_id, user.uid)
    expect.equal(token.signInProvider, "yahoo.com")
    expect.equal(token.claims.firebase.identities["yahoo.com"][1], user.providerData[1].uid)
  end)
end)

journey("signing out forgets the user, and the account stays", function(j)
  local ada <const> = j.users:new { password = "correct horse" }
  local uid <const> = ada:signIn().user.uid
  ada:signOut()
  expect.isNil(ada.user)
  j:step("twice is no error", function()
    ada:signOut()
  end)
  expect.equal(ada:signIn().user.uid, uid)
end)

journey("a deleted account is gone for every session", function(j)
  local ada <const> = j.users:new { password = "correct horse" }
  ada:signIn()
  local elsewhere <const> = Auth.session()
  elsewhere:signIn { email = ada.email, password = ada.password }
  ada.user:delete()
  expect.isNil(ada.user)
  expect.raises("userNotFound", function()
    elsewhere.currentUser:getIDToken(true)
  end)
end)

journey("a profile can be changed, and a field cleared", function(j)
  local ada <const> = j.users:new { password = "correct horse" }
  local user <const> = ada:signIn().user
  user:updateProfile { displayName = "Countess", photoURL = "https://a.example/ada.png" }
  expect.equal(user.displayName, "Countess")
  user:updateProfile { photoURL = false }
  user:reload()
  expect.equal(user.displayName, "Countess")
  expect.isNil(user.photoURL)
end)

journey("an anonymous visitor becomes somebody, and keeps the uid", function(j)
  local yuki <const> = j.users:new()
  local visitor <const> = yuki.auth:signInAnonymously().user
  local uid <const> = visitor.uid
  expect.truthy(visitor.isAnonymous)
  yuki:link "google.com"
  expect.equal(yuki.user.uid, uid)
  expect.falsy(yuki.user.isAnonymous)
  j:step("the next visitor cannot take her identity", function()
    local other <const> = Auth.session()
    local stranger <const> = other:signInAnonymously().user
    local err <const> = expect.raises("credentialAlreadyInUse", stranger.link, stranger,
      yuki:credential "google.com")
    expect.equal(other:signIn(err.pendingCredential).user.uid, uid)
  end)
end)

journey("a session is kept in a file and goes on in another", { tags = { "sessions" } }, function(j)
  local ada <const> = j.users:new { password = "correct horse" }
  ada:signIn()
  local file <const> = os.tmpname()
  j:defer(function()
    os.remove(file)
  end)
  ada.auth:save(file)
  expect.equal(Auth.load(file).currentUser.uid, ada.user.uid)
  j:step("signing out leaves the file, deleting the account ends it", function()
    ada:signOut()
    local loaded <const> = Auth.load(file)
    loaded.currentUser:delete()
    expect.raises("userNotFound", function()
      Auth.load(file)
    end)
  end)
end)

journey("tokens are renewed when they grow old", { tags = { "clock" } }, function(j)
  local ada <const> = j.users:new { password = "correct horse" }
  local user <const> = ada:signIn().user
  local before <const> = user:getIDToken()
  expect.equal(user:getIDToken(), before, "a good token was renewed")
  emulator.advance(3600)
  expect.truthy(user:getIDToken() ~= before, "an old token was not renewed")
end)
