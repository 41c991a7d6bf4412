local flows = require "support.flows"
local Auth = require "luath.auth"
local crypto = require "luath.crypto"
local emulator = require "luath.emulator"

local auth = Auth.auth()
local equal, refused = flows.equal, flows.refused
local provider, ways = flows.provider, flows.ways


describe("merging accounts by hand", function()
  -- S15 S16 S28
  it("the guides' merge works without enumeration protection", function()
    emulator.configure { enumerationProtection = false }
    local password = crypto.random()
    local before = auth:createUser("ada@contoso.example", password).user.uid
    auth:signOut()
    local microsoft = provider("microsoft.com", "ada@contoso.example")
    -- The conflict is the sign-in's; getting the credential knows nothing of accounts.
    local credential = microsoft:getCredential()
    local err = refused("accountExistsWithDifferentCredential", auth.signIn, auth, credential)
    equal(err.code, Auth.ErrorCode.accountExistsWithDifferentCredential)
    equal(err.rawValue, 17012)
    equal(err.name, "ERROR_ACCOUNT_EXISTS_WITH_DIFFERENT_CREDENTIAL")
    equal(err.webCode, "auth/account-exists-with-different-credential")
    equal(err.email, "ada@contoso.example")
    equal(err.pendingCredential.providerID, "microsoft.com")
    equal(#err.verifiedProviders, 0, "providers beside the password")
    equal(auth.currentUser, nil)
    local found = auth:fetchProviders(err.email)
    assert(found:contains(Auth.EmailAuthProviderID) and found:contains(Auth.EmailAuthProvider.id))
    assert(not found:contains("microsoft.com"))
    equal(#found, 1)
    equal(auth:fetchSignInMethods(err.email)[1], "password")
    -- The original credential is spent; the error's is the one to go on with.
    auth:signIn(Auth.EmailAuthProvider.credential(err.email, password))
    equal(auth.currentUser.email, err.email, "the address to check before linking")
    refused("invalidCredential", auth.currentUser.link, auth.currentUser, credential)
    local linked = auth.currentUser:link(err.pendingCredential)
    equal(linked.user.uid, before)
    assert(linked.credential.accessToken)
    equal(ways(linked.user), "microsoft.com password")
    auth:signOut()
    local again = auth:signIn(microsoft)
    equal(again.user.uid, before)
    equal(again.additionalUserInfo.isNewUser, false)
    assert(auth:fetchProviders(err.email):contains("microsoft.com"))
    -- The error's works again, until its hour is over.
    auth.currentUser:unlink("microsoft.com")
    auth.currentUser:link(err.pendingCredential)
    equal(ways(auth.currentUser), "microsoft.com password")
    auth.currentUser:unlink("microsoft.com")
    emulator.advance(3601)
    local spent = refused("invalidCredential", auth.currentUser.link, auth.currentUser, err.pendingCredential)
    equal(spent.serverName, "INVALID_PENDING_TOKEN")
  end)

  it("getCredential raises the conflict where the guides have it, with raisesConflict", function()
    emulator.configure { enumerationProtection = false }
    local admin = require("luath.admin").admin()
    local password = crypto.random()
    local before = auth:createUser("ada@contoso.example", password).user.uid
    auth:signOut()
    local microsoft = provider("microsoft.com", "ada@contoso.example")
    local options = { raisesConflict = true }
    local function conflict()
      return refused("accountExistsWithDifferentCredential", microsoft.getCredentialWith, microsoft, nil, options)
    end
    equal(conflict().email, "ada@contoso.example")
    equal(auth.currentUser, nil)
    -- The same as labels of a table, and with a delegate.
    refused("accountExistsWithDifferentCredential", microsoft.getCredential, microsoft,
      { with = flows.form "ada@contoso.example", raisesConflict = true })
    auth:signIn { withEmail = "ada@contoso.example", password = password }
    auth.currentUser:link(conflict().pendingCredential)
    equal(ways(auth.currentUser), "microsoft.com password")
    -- Now the identity is known, and the credential signs in to its account.
    auth:signOut()
    local credential = microsoft:getCredential(nil, options)
    equal(auth.currentUser, nil)
    equal(auth:signIn(credential).user.uid, before)
    -- An identity without an account gets none before the sign-in.
    microsoft.customParameters = { login_hint = "grace@fabrikam.example" }
    credential = microsoft:getCredential(nil, options)
    equal(credential.providerID, "microsoft.com")
    refused("userNotFound", admin.getUserByEmail, admin, "grace@fabrikam.example")
    local result = auth:signIn(credential)
    equal(result.additionalUserInfo.isNewUser, true)
    equal(result.user.email, "grace@fabrikam.example")
    -- A second factor is asked for by the sign-in.
    flows.telephone(auth:signIn(provider("google.com", "alan@outlook.example")).user, "+15555550101", "mobile")
    auth:signOut()
    credential = provider("google.com", "alan@outlook.example"):getCredential(nil, options)
    assert(refused("secondFactorRequired", auth.signIn, auth, credential).resolver)
    flows.mistake("no option 'raisesConflicts'", microsoft.getCredential, microsoft, nil, { raisesConflicts = true })
    flows.mistake("options", microsoft.getCredential, microsoft, nil, true)
    -- The page is refused before anything is asked.
    microsoft.customParameters = { login_hint = "grace@fabrikam.example", prompt = "consent" }
    refused("webConsentDenied", microsoft.getCredential, microsoft,
      flows.form("grace@fabrikam.example", { consent = false }), options)
  end)

  -- S15 S16
  it("under enumeration protection the error names the provider", function()
    local grace = auth:signIn(provider("google.com", "grace@fabrikam.example")).user.uid
    auth:signOut()
    local err = refused("accountExistsWithDifferentCredential", auth.signIn, auth,
      provider("microsoft.com", "grace@fabrikam.example"))
    equal(table.concat(err.verifiedProviders, " "), "google.com")
    assert(err.verifiedProviders:contains "google.com" and not err.verifiedProviders:contains "password")
    assert(err.hint:find("google.com", 1, true), err.hint)
    -- No ways, whether or not there is an account, and no error either.
    equal(#auth:fetchProviders(err.email), 0)
    equal(#auth:fetchSignInMethods(err.email), 0)
    equal(#auth:fetchProviders "nobody@contoso.example", 0)
    refused("invalidEmail", auth.fetchProviders, auth, "grace")
    auth:signIn(provider("google.com", err.email))
    auth.currentUser:link(err.pendingCredential)
    equal(auth.currentUser.uid, grace)
    equal(ways(auth.currentUser), "google.com microsoft.com")
  end)

  -- S15 S16
  it("Yahoo merges as Microsoft does", function()
    local uid = auth:createUser("yuki@yahoo.example", "correct horse").user.uid
    auth:signOut()
    local err = refused("accountExistsWithDifferentCredential", auth.signIn, auth,
      provider("yahoo.com", "yuki@yahoo.example"))
    auth:signIn { email = err.email, password = "correct horse" }
    auth.currentUser:link(err.pendingCredential)
    local merged = auth:signIn(provider("yahoo.com", "yuki@yahoo.example"))
    equal(merged.user.uid, uid)
    equal(merged.user.displayName, "Yuki Tanaka")
  end)

  -- S15
  it("a pending credential ends with its time", function()
    auth:createUser("ada@contoso.example", "correct horse")
    local err = refused("accountExistsWithDifferentCredential", auth.signIn, auth,
      provider("microsoft.com", "ada@contoso.example"))
    emulator.advance(24 * 3600)
    auth:signIn { email = err.email, password = "correct horse" }
    refused("invalidCredential", auth.currentUser.link, auth.currentUser, err.pendingCredential)
    equal(ways(auth.currentUser), "password")
  end)

  -- S15
  it("a forged sign-in to the existing account links nothing", function()
    auth:createUser("ada@contoso.example", "correct horse")
    auth:signOut()
    local err = refused("accountExistsWithDifferentCredential", auth.signIn, auth,
      provider("microsoft.com", "ada@contoso.example"))
    -- The pending credential alone opens nothing: it is the same question again.
    local again = refused("accountExistsWithDifferentCredential", auth.signIn, auth, err.pendingCredential)
    equal(again.email, err.email)
    equal(auth.currentUser, nil)
    -- Linked to a stranger, the address is somebody else's.
    auth:createUser("mallory@contoso.example", "correct horse")
    local conflict = refused("emailAlreadyInUse", auth.currentUser.link, auth.currentUser, again.pendingCredential)
    equal(conflict.email, "ada@contoso.example")
    equal(ways(auth.currentUser), "password")
  end)

  -- S23
  it("the first sign-in makes the account and later ones find it", function()
    for id, email in pairs {
      ["microsoft.com"] = "ada@contoso.example", ["yahoo.com"] = "yuki@yahoo.example",
      ["google.com"] = "grace@fabrikam.example", ["oidc.corp"] = "barbara@corp.example",
    } do
      local first = auth:signIn(provider(id, email))
      auth:signOut()
      local second = auth:signIn(provider(id, email))
      equal(first.additionalUserInfo.isNewUser, true, id)
      equal(second.additionalUserInfo.isNewUser, false, id)
      equal(first.user.uid, second.user.uid, id)
      equal(second.user.metadata.creationDate, first.user.metadata.creationDate)
      assert(second.user.metadata.lastSignInDate >= first.user.metadata.lastSignInDate)
    end
  end)
end)
