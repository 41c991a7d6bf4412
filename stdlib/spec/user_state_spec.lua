local flows = require "support.flows"
local Auth = require "luath.auth"
local emulator = require "luath.emulator"
local task = require "luath.task"

local auth = Auth.auth()
local equal, refused, mistake = flows.equal, flows.refused, flows.mistake
local provider, way, ways = flows.provider, flows.way, flows.ways

describe("the state of a user", function()
  -- S24
  it("a profile is changed field by field and cleared", function()
    local user = auth:signIn(provider("yahoo.com", "yuki@yahoo.example")).user
    equal(user.displayName, "Yuki Tanaka")
    user:updateProfile { displayName = "Yuki 雪 \u{1F600}" }
    equal(user.displayName, "Yuki 雪 \u{1F600}")
    equal(user.photoURL, "https://s.yimg.example/yuki.png")
    user:updateProfile { photoURL = false }
    equal(user.photoURL, nil)
    equal(user.displayName, "Yuki 雪 \u{1F600}")
    user:updateProfile { displayName = "", photoURL = "https://photo.example/y" }
    equal(user.displayName, nil)
    equal(user.photoURL, "https://photo.example/y")
    user:updateProfile {}
    -- The provider's own profile stays as it is.
    equal(way(user, "yahoo.com").displayName, "Yuki Tanaka")
    equal(way(user, "yahoo.com").photoURL, "https://s.yimg.example/yuki.png")
    equal(way(user, "yahoo.com").email, "yuki@yahoo.example")
    local again = auth:signIn(provider("yahoo.com", "yuki@yahoo.example")).user
    equal(again.photoURL, "https://photo.example/y")
    mistake("displayName", user.updateProfile, user, { displayName = true })
    mistake("displayname", user.updateProfile, user, { displayname = "x" })
  end)

  -- S24 S26
  it("an account with a password is created, signed in to and refused", function()
    local result = auth:createUser("Ada@Contoso.example", "correct horse")
    equal(result.additionalUserInfo.isNewUser, true)
    equal(result.additionalUserInfo.providerID, "password")
    equal(result.credential, nil)
    equal(result.user.email, "ada@contoso.example")
    equal(result.user.isEmailVerified, false)
    equal(ways(result.user), "password")
    local metadata = result.user.metadata
    assert(math.type(metadata.creationDate) == "integer" and metadata.creationDate > 1.6e12)
    assert(math.type(metadata.lastSignInDate) == "integer")
    local token = result.user:getIDTokenResult()
    equal(token.signInProvider, "password")
    equal(token.claims.email_verified, false)
    local again = auth:signInWithEmail("ada@contoso.example", "correct horse")
    equal(again.additionalUserInfo.isNewUser, false)
    equal(again.user.uid, result.user.uid)
    refused("emailAlreadyInUse", auth.createUser, auth, "ada@contoso.example", "correct horse")
    refused("weakPassword", auth.createUser, auth, "b@contoso.example", "five5")
    refused("weakPassword", auth.createUser, auth, "b@contoso.example", "")
    refused("missingEmail", auth.createUser, auth, "", "correct horse")
    refused("missingEmail", auth.signIn, auth, { email = "", password = "x" })
    mistake("email and password", auth.signIn, auth, {})
    mistake("email and password", auth.signIn, auth, { email = "a@b.example" })
    mistake("not both", auth.signIn, auth, { email = "a@b.example", password = "x", customToken = "x" })
    refused("invalidEmail", auth.createUser, auth, "not an address", "correct horse")
    refused("wrongPassword", auth.signIn, auth, { email = "ada@contoso.example", password = "" })
    equal(auth.currentUser.uid, result.user.uid)
  end)

  -- S25
  it("signing out is local and harmless", function()
    auth:signOut()
    local user = auth:signIn(provider("microsoft.com", "ada@contoso.example")).user
    equal(flows.requests("*", function()
      auth:signOut()
      equal(auth.currentUser, nil)
      auth:signOut()
    end), 0)
    -- Nothing was revoked: the tokens of the user object still open the account.
    user:reload()
    equal(user.email, "ada@contoso.example")
    equal(auth.currentUser, nil)
    equal(auth:signIn(provider("microsoft.com", "ada@contoso.example")).user.uid, user.uid)
  end)

  -- S25
  it("signing out without an Auth is a mistake of the script", function()
    mistake("calling 'signOut' on bad self %(Auth expected, got no value", auth.signOut)
    mistake("calling 'signOut' on bad self %(Auth expected, got table", auth.signOut, {})
  end)

  -- S24 S26
  it("a failed sign-in leaves the current user", function()
    local uid = auth:signIn(provider("google.com", "ada@contoso.example")).user.uid
    refused("invalidCredential", auth.signIn, auth, { email = "nobody@contoso.example", password = "correct horse" })
    refused("operationNotAllowed", auth.signIn, auth, Auth.OAuthProvider "oidc.unknown")
    refused("webContextCancelled", auth.signIn, auth, Auth.OAuthProvider "microsoft.com", function() end)
    equal(auth.currentUser.uid, uid)
    -- And a good one replaces them, even by somebody anonymous.
    local other = auth:signInAnonymously().user
    assert(other.uid ~= uid)
    equal(auth.currentUser.uid, other.uid)
  end)

  -- S24 S26
  it("an address is changed where the project allows it", function()
    auth:createUser("taken@b.example", "correct horse")
    local user = auth:createUser("a@b.example", "correct horse").user
    local err = refused("operationNotAllowed", user.updateEmail, user, "b@b.example")
    assert(err.message:find("verify", 1, true), tostring(err))
    emulator.configure { enumerationProtection = false }
    refused("invalidEmail", user.updateEmail, user, "b")
    refused("missingEmail", user.updateEmail, user, "")
    equal(refused("emailAlreadyInUse", user.updateEmail, user, "taken@b.example").email, "taken@b.example")
    user:updateEmail "b@b.example"
    equal(user.email, "b@b.example")
    equal(user:getIDTokenResult().claims.email, "b@b.example")
    refused("weakPassword", user.updatePassword, user, "five5")
    refused("weakPassword", user.updatePassword, user, "")
    refused("userNotFound", auth.signIn, auth, { email = "a@b.example", password = "correct horse" })
  end)

  -- 9.12
  it("a reauthentication as another user changes nothing and creates no account", function()
    local function count() return #flows.owned("v1/projects/PROJECT/accounts:query", {}).userInfo end
    local other = Auth.session():createUser("bob@x.example", "battery staple").user
    local user = auth:createUser("ada@x.example", "correct horse").user
    local token, refreshToken = user:getIDToken(), user.refreshToken
    local heard = 0
    auth:onIDTokenChanged(function() heard = heard + 1 end)
    task.sleep(0)
    emulator.advance(1)
    local accounts = count()
    for _, proof in ipairs {
      Auth.EmailAuthProvider.credential("bob@x.example", "battery staple"),
      provider("yahoo.com", "yuki@yahoo.example"),
    } do
      local err = refused("userMismatch", user.reauthenticate, user, proof)
      equal(err.rawValue, 17024)
      equal(count(), accounts, "a stray account")
      equal(user:getIDToken(), token)
      equal(user.refreshToken, refreshToken)
      equal(auth.currentUser, user)
    end
    task.sleep(0)
    equal(heard, 1)
    other:reload()
  end)

  -- 9.13
  it("what a user is linked to is read again before a link", function()
    local here = auth:createUser("ada@x.example", "correct horse").user
    local elsewhere = Auth.session():signInWithEmail("ada@x.example", "correct horse").user
    elsewhere:link(provider("yahoo.com", "yuki@yahoo.example"))
    equal(ways(here), "password", "the object's own list")
    local err = refused("providerAlreadyLinked", here.link, here, provider("yahoo.com", "yuki@yahoo.example"))
    equal(err.rawValue, 17015)
    equal(ways(here), "password yahoo.com")
    -- The other way round: it is not linked any more, although the object says so.
    elsewhere:unlink("yahoo.com")
    equal(ways(here), "password yahoo.com")
    here:link(provider("yahoo.com", "yuki@yahoo.example"))
    refused("noSuchProvider", elsewhere.unlink, elsewhere, "google.com")
    elsewhere:unlink("yahoo.com")
    refused("noSuchProvider", here.unlink, here, "yahoo.com")
  end)

  -- 9.14
  it("a provider's data is found by its id, and its uid is the provider's", function()
    local user = auth:createUser("ada@x.example", "correct horse").user
    for _, id in ipairs { "yahoo.com", "google.com", "microsoft.com" } do
      user:link(provider(id, id == "yahoo.com" and "yuki@yahoo.example" or "ada@contoso.example"))
    end
    local identities = user:getIDTokenResult().claims.firebase.identities
    for _, id in ipairs { "google.com", "microsoft.com", "yahoo.com" } do
      equal(way(user, id).uid, identities[id][1], id)
      assert(way(user, id).uid ~= user.uid)
    end
    equal(way(user, "password").uid, "ada@x.example")
    equal(way(user, "github.com"), nil)
  end)

  -- 9.26
  it("a field is cleared by false or an empty text, and left alone by nil", function()
    local user = auth:createUser("ada@x.example", "correct horse").user
    local function profile()
      local there = Auth.session():signInWithEmail("ada@x.example", "correct horse").user
      equal(user.displayName, there.displayName)
      equal(user.photoURL, there.photoURL)
      return ("%s %s"):format(there.displayName, there.photoURL)
    end
    user:updateProfile { displayName = "Ada", photoURL = "https://x.example/a.png" }
    equal(profile(), "Ada https://x.example/a.png")
    user:updateProfile { displayName = nil, photoURL = false }
    equal(profile(), "Ada nil")
    user:updateProfile { displayName = "" }
    equal(profile(), "nil nil")
    user:updateProfile {}
    equal(profile(), "nil nil")
  end)

  -- 9.31
  it("signing out sends no request, and deleting does and then signs out", function()
    local user = auth:createUser("ada@x.example", "correct horse").user
    equal(flows.requests("*", auth.signOut, auth), 0)
    equal(auth.currentUser, nil)
    -- The account and its tokens stay as they were.
    user:getIDToken(true)
    auth:updateCurrentUser(user)
    emulator.advance(600)
    equal(flows.requests("delete", function()
      refused("requiresRecentLogin", user.delete, user)
      equal(auth.currentUser, user, "a refused deletion signs nobody out")
      user:reauthenticate(Auth.EmailAuthProvider.credential("ada@x.example", "correct horse"))
      user:delete()
    end), 2)
    equal(auth.currentUser, nil)
    refused("invalidCredential", auth.signInWithEmail, auth, "ada@x.example", "correct horse")
  end)
end)
