local flows = require "support.flows"
local Auth = require "luath.auth"
local emulator = require "luath.emulator"
local merge = require "luath.merge"

local auth = Auth.auth()
local equal, refused, mistake = flows.equal, flows.refused, flows.mistake
local provider, ways = flows.provider, flows.ways


local function text(list)
  return table.concat(list, " ")
end

describe("luath.merge of an anonymous user", function()
  it("an anonymous user keeps the uid where nothing is in the way", function()
    local uid = auth:signInAnonymously().user.uid
    local result = merge.signIn(auth, provider("microsoft.com", "ada@contoso.example"), { upgrade = true })
    equal(result.user.uid, uid)
    equal(auth.currentUser.uid, uid)
    equal(auth.currentUser.isAnonymous, false)
    equal(text(result.linked), "microsoft.com")
    equal(result.merged, false)
    equal(result.anonymous, nil)
    -- Nobody is anonymous any more, so the next is an ordinary sign-in.
    local yuki = merge.signIn(auth, provider("yahoo.com", "yuki@yahoo.example"), { upgrade = true })
    assert(yuki.user.uid ~= uid)
  end)

  it("an identity that has an account leads to it, with what the anonymous user had", function()
    local yuki = auth:signIn(provider("yahoo.com", "yuki@yahoo.example")).user.uid
    auth:signOut()
    local anonymous = auth:signInAnonymously().user
    local moved = {}
    local result = merge.signIn(auth, provider("yahoo.com", "yuki@yahoo.example"), {
      upgrade = true, deleteAnonymous = true,
      migrate = function(from, to)
        equal(auth.currentUser, anonymous, "who is signed in until all is done")
        moved = { from.uid, to.uid }
      end,
    })
    equal(result.user.uid, yuki)
    equal(auth.currentUser.uid, yuki)
    equal(text(moved), anonymous.uid .. " " .. yuki)
    equal(result.anonymous.uid, anonymous.uid)
    equal(result.anonymous.deleted, true)
    local ok, err = pcall(anonymous.reload, anonymous)
    assert(not ok and (err.code == "userNotFound" or err.code == "userTokenExpired"), tostring(err))
    equal(auth.currentUser.uid, yuki)
  end)

  it("an address that has an account is proved and merged", function()
    local ada = auth:createUser("ada@contoso.example", "correct horse").user.uid
    auth:signOut()
    local anonymous = auth:signInAnonymously().user
    local microsoft = provider("microsoft.com", "ada@contoso.example")
    local err = refused("emailAlreadyInUse", merge.signIn, auth, microsoft, { upgrade = true })
    equal(auth.currentUser, anonymous)
    local result = merge.signIn(auth, microsoft, {
      upgrade = true, prove = merge.password "correct horse",
    })
    equal(result.user.uid, ada)
    equal(auth.currentUser.uid, ada)
    equal(result.merged, true)
    equal(text(result.linked), "microsoft.com")
    equal(result.anonymous.uid, anonymous.uid)
    equal(result.anonymous.deleted, false)
    anonymous:reload()
  end)

  it("listeners hear of a merge once, and of a failed one never", function()
    local ada = auth:createUser("ada@contoso.example", "correct horse").user.uid
    auth:createUser("mallory@contoso.example", "correct horse")
    auth:signOut()
    local heard = {}
    auth:onAuthStateChanged(function(user) heard[#heard + 1] = user and user.uid or "nobody" end)
    local microsoft = provider("microsoft.com", "ada@contoso.example")
    local function proof(email)
      return { prove = function() return { email = email, password = "correct horse" } end }
    end
    refused("userMismatch", merge.signIn, auth, microsoft, proof "mallory@contoso.example")
    equal(text(heard), "nobody")
    merge.signIn(auth, microsoft, proof "ada@contoso.example")
    auth.currentUser:reload()
    equal(text(heard), "nobody " .. ada)
  end)

  it("a merge stays in its tenant", function()
    local email = "ada@contoso.example"
    local outside = auth:createUser(email, "outside password").user.uid
    local team = Auth.session { tenantID = flows.tenant() }
    local inside = team:createUser(email, "inside password").user.uid
    team:signOut()
    flows.register("microsoft.com", team.tenantID)
    local microsoft = Auth.OAuthProvider("microsoft.com", team)
    microsoft.customParameters = { login_hint = email }
    -- A tenant has no enumeration protection of the project's.
    refused("wrongPassword", merge.signIn, team, microsoft, { prove = merge.password "outside password" })
    local result = merge.signIn(team, microsoft, { prove = merge.password "inside password" })
    equal(result.user.uid, inside)
    equal(team.currentUser.tenantID, team.tenantID)
    assert(inside ~= outside)
    auth.currentUser:reload()
    equal(ways(auth.currentUser), "password")
  end)

  it("a password that has an account signs in to it", function()
    local proof = { email = "ada@contoso.example", password = "correct horse" }
    local ada = auth:createUser(proof.email, proof.password).user.uid
    auth:signOut()
    local anonymous = auth:signInAnonymously().user
    local wrong = { email = proof.email, password = "battery staple" }
    refused("invalidCredential", merge.signIn, auth, wrong, { upgrade = true })
    equal(auth.currentUser, anonymous)
    equal(merge.signIn(auth, proof, { upgrade = true }).user.uid, ada)
    auth:signOut()
    -- And one that has none makes the anonymous user's account last.
    local uid = auth:signInAnonymously().user.uid
    local new = { email = "new@contoso.example", password = "correct horse" }
    equal(merge.signIn(auth, new, { upgrade = true }).user.uid, uid)
    auth:signOut()
    auth:signInAnonymously()
    mistake("#2 to 'signIn'", merge.signIn, auth, {}, { upgrade = true })
  end)

  it("an anonymous user too old to be deleted is told of and left", function()
    auth:signIn(provider("yahoo.com", "yuki@yahoo.example"))
    auth:signOut()
    local anonymous = auth:signInAnonymously().user
    emulator.advance(600)
    local result = merge.signIn(auth, provider("yahoo.com", "yuki@yahoo.example"),
      { upgrade = true, deleteAnonymous = true })
    equal(result.anonymous.deleted, false)
    equal(result.anonymous.error.code, "requiresRecentLogin")
    assert(auth.currentUser.uid ~= anonymous.uid)
  end)

  it("a migration that fails leaves the anonymous user signed in", function()
    auth:signIn(provider("yahoo.com", "yuki@yahoo.example"))
    auth:signOut()
    local anonymous = auth:signInAnonymously().user
    local ok, err = pcall(merge.signIn, auth, provider("yahoo.com", "yuki@yahoo.example"), {
      upgrade = true, deleteAnonymous = true, migrate = function() error "the disk is full" end,
    })
    assert(not ok and tostring(err):find("the disk is full", 1, true), err)
    equal(auth.currentUser, anonymous)
    anonymous:reload()
  end)
end)
