local flows = require "support.flows"
local Auth = require "luath.auth"

local auth = Auth.auth()
local equal, refused, mistake = flows.equal, flows.refused, flows.mistake
local provider = flows.provider


describe("credentials", function()
  it("a credential without a token is refused before it is sent", function()
    refused("invalidCredential", Auth.GoogleAuthProvider.credential)
    refused("invalidCredential", Auth.FacebookAuthProvider.credential, "")
    refused("invalidCredential", Auth.GitHubAuthProvider.credential, "")
    refused("invalidCredential", Auth.TwitterAuthProvider.credential, "t", "")
    refused("invalidCredential", Auth.TwitterAuthProvider.credential, "", "s")
    refused("invalidCredential", Auth.OAuthProvider.credential, "oidc.corp", "", "nonce")
    refused("invalidCredential", Auth.OAuthProvider.credential, { providerID = "oidc.corp" })
    refused("invalidProviderID", Auth.OAuthProvider.credential, { providerID = "oidc", idToken = "i" })
    mistake("table", Auth.OAuthProvider.credential, { providerID = "oidc.corp", idToken = "i" }, "i")
    mistake("no option", Auth.OAuthProvider.credential, { providerID = "oidc.corp", id_token = "i" })
    refused("invalidProviderID", Auth.OAuthProvider.credential, { idToken = "i" })
  end)

  it("the SDK's names of providers are their ids", function()
    local ids = Auth.AuthProviderID
    equal(ids.apple, "apple.com")
    equal(ids.email, Auth.EmailAuthProvider.id)
    equal(ids.facebook, Auth.FacebookAuthProvider.id)
    equal(ids.gameCenter, "gc.apple.com")
    equal(ids.gitHub, Auth.GitHubAuthProvider.id)
    equal(ids.google, Auth.GoogleAuthProvider.id)
    equal(ids.phone, "phone")
    equal(ids.twitter, Auth.TwitterAuthProvider.id)
    equal(ids.microsoft, Auth.OAuthProvider(ids.microsoft).providerID)
    equal(ids.yahoo, "yahoo.com")
    equal(ids.custom "oidc.corp", "oidc.corp")
    refused("invalidProviderID", ids.custom, "corp")
    mistake("did you mean 'gitHub'", function() return ids.github end)
  end)

  it("nobody gets an account where a sign-in makes none", function()
    local session = auth:session()
    equal(session.createsAccounts, true)
    session.createsAccounts = false
    refused("userNotFound", session.signIn, session, provider("yahoo.com", "yuki@yahoo.example"))
    equal(session.currentUser, nil)
    local yuki = auth:signIn(provider("yahoo.com", "yuki@yahoo.example"))
    equal(yuki.additionalUserInfo.isNewUser, true)
    equal(session:signIn(provider("yahoo.com", "yuki@yahoo.example")).user.uid, yuki.user.uid)
    mistake("createsAccounts", function() session.createsAccounts = "no" end)
  end)

  it("a session beside another has its target and tenant and nobody in it", function()
    auth:signInAnonymously()
    auth.tenantID, auth.languageCode, auth.customAuthDomain = "t1", "fr", "localhost"
    local beside = auth:session()
    equal(beside.currentUser, nil)
    equal(beside.tenantID, "t1")
    equal(beside.languageCode, "fr")
    equal(beside.customAuthDomain, "localhost")
    auth.tenantID = nil
    equal(beside.tenantID, "t1")
    assert(beside ~= auth and auth.currentUser)
  end)

  it("a script makes errors as luath does", function()
    local function fail() error(Auth.createError("userMismatch", "that was not you", "ask somebody else")) end
    local err = refused("userMismatch", fail)
    equal(err.rawValue, 17024)
    equal(err.name, "ERROR_USER_MISMATCH")
    equal(err.webCode, "auth/user-mismatch")
    equal(err.message, "that was not you")
    equal(err.hint, "ask somebody else")
    assert(#Auth.createError("userMismatch").hint > 8)
    mistake("ErrorCode", Auth.createError, "userMissmatch")
  end)
end)
