local flows = require "support.flows"
local Auth = require "luath.auth"
local crypto = require "luath.crypto"
local emulator = require "luath.emulator"

local auth = Auth.auth()
local equal, refused = flows.equal, flows.refused
local provider, way, ways = flows.provider, flows.way, flows.ways


describe("linking", function()
  -- S13 S23 S24
  it("several providers on one user each sign in to it", function()
    local first = auth:signIn(provider("microsoft.com", "ada@contoso.example"))
    local user, uid = first.user, first.user.uid
    equal(first.additionalUserInfo.isNewUser, true)
    local linked = user:link(provider("google.com", "ada@contoso.example"))
    equal(linked.user.uid, uid)
    equal(linked.additionalUserInfo.isNewUser, false)
    equal(linked.additionalUserInfo.providerID, "google.com")
    assert(linked.credential.accessToken)
    user:link(provider("yahoo.com", "ada@contoso.example"):getCredential())
    user:link(provider("oidc.corp", "ada@contoso.example"))
    local password = crypto.random()
    local byPassword = user:link(Auth.EmailAuthProvider.credential("ada@contoso.example", password))
    equal(byPassword.additionalUserInfo, nil)
    equal(ways(user), "google.com microsoft.com oidc.corp password yahoo.com")
    equal(auth.currentUser.uid, uid)
    equal(ways(auth.currentUser), ways(user))
    for _, id in ipairs { "microsoft.com", "google.com", "yahoo.com", "oidc.corp" } do
      local again = auth:signIn(provider(id, "ada@contoso.example"))
      equal(again.user.uid, uid, id)
      equal(again.additionalUserInfo.isNewUser, false, id)
      local claims = again.user:getIDTokenResult().claims
      equal(claims.firebase.sign_in_provider, id)
      equal(claims.firebase.identities[id][1], way(again.user, id).uid)
    end
    local again = auth:signIn { email = "ada@contoso.example", password = password }
    equal(again.user.uid, uid)
    equal(again.additionalUserInfo.isNewUser, false)
  end)

  -- S13
  it("an anonymous user keeps the uid by linking", function()
    local created = auth:signInAnonymously()
    local user, uid = created.user, created.user.uid
    equal(created.additionalUserInfo.isNewUser, true)
    equal(user.isAnonymous, true)
    equal(#user.providerData, 0)
    equal(user:getIDTokenResult().signInProvider, "anonymous")
    -- Anonymous again is the same account, without a request.
    local again = auth:signInAnonymously()
    equal(again.user.uid, uid)
    equal(again.additionalUserInfo, nil)
    user:link(provider("microsoft.com", "ada@contoso.example"))
    equal(user.isAnonymous, false)
    equal(user.email, "ada@contoso.example")
    equal(user.displayName, "Ada Lovelace")
    equal(auth:signIn(provider("microsoft.com", "ada@contoso.example")).user.uid, uid)
    equal(auth.currentUser.isAnonymous, false)
  end)

  -- S13
  it("a way to sign in can be taken away, and the address stays", function()
    local user = auth:signIn(provider("google.com", "ada@contoso.example")).user
    user:link(provider("yahoo.com", "yuki@yahoo.example"))
    equal(user:unlink("google.com").uid, user.uid)
    equal(ways(user), "yahoo.com")
    equal(user.email, "ada@contoso.example")
    local err = refused("noSuchProvider", user.unlink, user, "google.com")
    equal(err.rawValue, 17016)
    equal(auth:signIn(provider("yahoo.com", "yuki@yahoo.example")).user.uid, user.uid)
    user:link(provider("google.com", "ada@contoso.example"))
    equal(ways(auth.currentUser), "yahoo.com", "the other object's list, until it reloads")
    auth.currentUser:reload()
    equal(ways(auth.currentUser), "google.com yahoo.com")
  end)

  -- S13 S26
  it("a linked provider is refused after a look at the backend", function()
    local here, there = Auth.session(), Auth.session()
    local google = Auth.OAuthProvider("google.com", here)
    google.customParameters = { login_hint = "ada@contoso.example" }
    local one = here:signIn(provider("microsoft.com", "ada@contoso.example")).user
    local other = there:signIn(provider("microsoft.com", "ada@contoso.example")).user
    one:link(google)
    -- The other session's list is old in one direction, then in the other.
    equal(ways(other), "microsoft.com")
    local err = refused("providerAlreadyLinked", other.link, other, google)
    equal(err.rawValue, 17015)
    one:unlink("google.com")
    other:link(google)
    equal(ways(other), "google.com microsoft.com")
  end)

  -- S13 S26
  it("an identity of another account brings its credential", function()
    local yukis = auth:signIn(provider("yahoo.com", "yuki@yahoo.example")).user.uid
    local user = auth:signIn(provider("microsoft.com", "ada@contoso.example")).user
    local err = refused("credentialAlreadyInUse", user.link, user, provider("yahoo.com", "yuki@yahoo.example"))
    equal(err.rawValue, 17025)
    equal(err.name, "ERROR_CREDENTIAL_ALREADY_IN_USE")
    equal(err.webCode, "auth/credential-already-in-use")
    equal(err.serverName, "FEDERATED_USER_ID_ALREADY_LINKED")
    equal(err.email, "yuki@yahoo.example")
    equal(err.pendingCredential.providerID, "yahoo.com")
    equal(auth.currentUser.uid, user.uid)
    equal(ways(user), "microsoft.com")
    -- The anonymous upgrade ends so: with the credential of the error, which stays good within the hour.
    equal(auth:signIn(err.pendingCredential).user.uid, yukis)
    equal(auth:signIn(err.pendingCredential).user.uid, yukis)
    emulator.advance(3601)
    refused("invalidCredential", auth.signIn, auth, err.pendingCredential)
  end)

  -- S13 S15 S26
  it("an address of another account brings address and credential", function()
    local password = crypto.random()
    local grace = auth:createUser("grace@fabrikam.example", password).user.uid
    local user = auth:signIn(provider("google.com", "ada@contoso.example")).user
    local err = refused("emailAlreadyInUse", user.link, user, provider("microsoft.com", "grace@fabrikam.example"))
    equal(err.rawValue, 17007)
    equal(err.email, "grace@fabrikam.example")
    equal(err.serverName, "EMAIL_EXISTS")
    equal(err.pendingCredential.providerID, "microsoft.com")
    equal(ways(user), "google.com")
    -- So that the owner of the address can go on.
    equal(auth:signIn { email = err.email, password = password }.user.uid, grace)
    auth.currentUser:link(err.pendingCredential)
    equal(ways(auth.currentUser), "microsoft.com password")
    -- The same for a password.
    local err = refused("emailAlreadyInUse", user.link, user,
      Auth.EmailAuthProvider.credential("grace@fabrikam.example", crypto.random()))
    equal(err.email, "grace@fabrikam.example")
  end)

  -- S13
  it("a password is linked under the rules of passwords", function()
    local user = auth:signIn(provider("microsoft.com", "ada@contoso.example")).user
    local email = Auth.EmailAuthProvider.credential
    refused("weakPassword", user.link, user, email("ada@contoso.example", ""))
    refused("weakPassword", user.link, user, email("ada@contoso.example", "five5"))
    refused("invalidEmail", user.link, user, email("ada", crypto.random()))
    equal(ways(user), "microsoft.com")
    -- The account's own address is no conflict.
    user:link(email("ada@contoso.example", crypto.random()))
    equal(ways(user), "microsoft.com password")
    refused("providerAlreadyLinked", user.link, user, email("ada@contoso.example", crypto.random()))
  end)

  -- S13
  it("linking with an old ID token refreshes it first", function()
    local user = auth:signIn(provider("microsoft.com", "ada@contoso.example")).user
    local old = user:getIDTokenResult().issuedAtDate
    emulator.advance(4000)
    user:link(provider("google.com", "ada@contoso.example"))
    equal(ways(user), "google.com microsoft.com")
    assert(user:getIDTokenResult().issuedAtDate >= old + 4000)
  end)

  -- S15 S27
  it("where accounts may share an address nothing conflicts", function()
    emulator.configure { oneAccountPerEmail = false }
    local password = crypto.random()
    local one = auth:createUser("ada@contoso.example", password).user.uid
    local two = auth:signIn(provider("microsoft.com", "ada@contoso.example")).user.uid
    local three = auth:signIn(provider("google.com", "ada@contoso.example")).user.uid
    assert(one ~= two and two ~= three and one ~= three)
    equal(auth:signIn(provider("microsoft.com", "ada@contoso.example")).user.uid, two)
  end)

  -- S13 S23
  it("a provider that vouches for the address takes the account over", function()
    local squatter = Auth.session()
    local made = squatter:createUser("barbara@corp.example", "not barbara's")
    made.user:getIDToken()
    local result = auth:signIn(provider("google.com", "barbara@corp.example"))
    equal(result.user.uid, made.user.uid)
    equal(result.additionalUserInfo.isNewUser, false)
    equal(result.user.isEmailVerified, true)
    -- The password was never proved to be hers, so it is gone with its sessions.
    equal(ways(result.user), "google.com")
    refused("invalidCredential", auth.signIn, auth, { email = "barbara@corp.example", password = "not barbara's" })
    refused("userTokenExpired", made.user.reload, made.user)
    equal(squatter.currentUser, nil)
    equal(auth.currentUser.uid, made.user.uid)
  end)
end)
