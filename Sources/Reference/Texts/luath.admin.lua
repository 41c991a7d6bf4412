local Admin = require "luath.admin"
local Auth = require "luath.auth"
local emulator = require "luath.emulator"
local admin = Admin.admin()
local auth = Auth.auth()

--- On an emulator an administrator needs nothing. On a real project the service account's key is
--- taken from the option `serviceAccount`, or the file that GOOGLE_APPLICATION_CREDENTIALS names.

---@param serviceAccount _ its JSON key, decoded: client_email, private_key
---@param uid _ whom to sign in: 1 to 128 characters
---@return string token
---@error invalidServiceAccount when the key cannot be used
function Admin.customToken()
  local token = Admin.customToken(emulator.serviceAccount(), "ada", { role = "editor" })
  print(auth:signInWithCustomToken(token).user.uid)
end

---@param options.tenantID _ the tenant that its calls are about
---@return Admin admin
---@error invalidServiceAccount when the key cannot be read or used
function Admin.admin()
  local admin = Admin.admin()
  print(admin:createUser({ uid = "ada" }).uid)
  admin:deleteUser "ada"
end

--- An account, as administrators see it.
---@class UserRecord
---@field uid string the account's id
---@field email? string the e-mail address
---@field emailVerified boolean whether the address was verified
---@field displayName? string the name
---@field photoURL? string the picture's address
---@field phoneNumber? string the phone number
---@field disabled boolean whether nobody can sign in to it
---@field metadata { creationTime: integer?, lastSignInTime: integer?, lastRefreshTime: string? } times, in milliseconds since 1970
---@field customClaims? table<string, any> what is added to its tokens
---@field tenantID? string the tenant it is in
---@field providerData UserInfo[] its sign-in methods
---@field multiFactor { enrolledFactors: table[] } its second factors
---@field tokensValidAfterTime? integer older sessions are over; milliseconds since 1970
---@field passwordHash? string the hash of its password, if the caller may see it
---@field passwordSalt? string the salt of that hash

--- What became of a batch.
---@class BatchResult
---@field successCount integer how many rows are done
---@field failureCount integer how many failed
---@field errors { index: integer, uid: string?, message: string }[] why, each with the row's number from 1

---@class Admin

---@return UserRecord account
---@error userNotFound when there is no such account
function Admin:getUser()
  admin:createUser { uid = "ada", email = "ada@contoso.example" }
  print(admin:getUser("ada").email)
  admin:deleteUser "ada"
end

---@return UserRecord account
---@error userNotFound when there is no such account
function Admin:getUserByEmail()
  admin:createUser { uid = "ada", email = "ada@contoso.example" }
  print(admin:getUserByEmail("ada@contoso.example").uid)
end

---@param phoneNumber _ such as +15555550100
---@return UserRecord account
---@error userNotFound when there is no such account
function Admin:getUserByPhoneNumber()
  admin:createUser { uid = "ada", phoneNumber = "+15555550100" }
  print(admin:getUserByPhoneNumber("+15555550100").uid)
end

---@param uid _ the person's id at the provider
---@return UserRecord account
---@error userNotFound when there is no such account
function Admin:getUserByProviderUID()
  local user = auth:signIn(Auth.OAuthProvider "google.com").user
  print(admin:getUserByProviderUID("google.com", user.providerData[1].uid).uid == user.uid)
end

---@return UserRecord account
---@error uidAlreadyExists when the uid is another account's
---@error emailAlreadyInUse when the address is another account's
---@error phoneNumberAlreadyExists when the number is another account's
---@error invalidArgument when a property cannot be
function Admin:createUser()
  local account = admin:createUser {
    uid = "ada", email = "ada@contoso.example", emailVerified = true, password = "correct horse",
  }
  print(auth:signInWithEmail("ada@contoso.example", "correct horse").user.uid == account.uid)
end

---@param changes _ what is to change
---@return UserRecord account
---@error userNotFound when there is no such account
---@error emailAlreadyInUse when the address is another account's
---@error invalidArgument when a change cannot be
function Admin:updateUser()
  admin:createUser { uid = "ada", displayName = "Ada" }
  local account = admin:updateUser("ada", { displayName = false, disabled = true })
  print(account.displayName, account.disabled)
end

---@param claims _ names and values; false clears them
---@error invalidClaims when a claim is the backend's own, or all are too long
function Admin:setCustomUserClaims()
  local user = auth:signInAnonymously().user
  admin:setCustomUserClaims(user.uid, { role = "editor" })
  print(user:getIDTokenResult(true).claims.role)
end

---@error userNotFound when there is no such account
function Admin:deleteUser()
  admin:createUser { uid = "ada" }
  admin:deleteUser "ada"
  print(pcall(admin.getUser, admin, "ada") == false)
end

---@error userNotFound when there is no such account
function Admin:revokeRefreshTokens()
  local user = auth:signInAnonymously().user
  emulator.advance(1)
  admin:revokeRefreshTokens(user.uid)
  local good, err = pcall(user.getIDToken, user, true)
  print(good, err.code)
end

---@return { users: UserRecord[], notFound: table[] } found
---@error invalidArgument when an identifier cannot be one
function Admin:getUsers()
  admin:createUser { uid = "ada" }
  local found = admin:getUsers { { uid = "ada" }, { email = "nobody@contoso.example" } }
  print(#found.users, found.notFound[1].email)
end

---@return fun(): UserRecord? next
---@return AdminList list
function Admin:listUsers()
  admin:createUser { uid = "ada" }
  admin:createUser { uid = "bob" }
  for account in admin:listUsers { pageSize = 500 } do print(account.uid) end
end

---@param uids _ the ids of the accounts
---@return BatchResult result
---@error quotaExceeded when the backend cuts the batch off; err.batch has what was done
function Admin:deleteUsers()
  admin:createUser { uid = "ada", disabled = true }
  admin:createUser { uid = "bob" }
  local result = admin:deleteUsers({ "ada", "bob" }, { force = false })
  print(result.successCount, result.errors[1].message)
end

---@param options.allowOverwrite _ whether a row replaces an account, or an earlier row, of the same uid; false when not given
---@param options.sanityCheck _ whether a row is refused that contradicts another; true when not given
---@return BatchResult result
---@error invalidArgument when the algorithm or its parameters cannot be
---@error quotaExceeded when the backend cuts the batch off; err.batch has what was done
function Admin:importUsers()
  local result = admin:importUsers {
    { uid = "ada", email = "ada@contoso.example" },
    { email = "without-uid@contoso.example" },
  }
  print(result.successCount, result.errors[1].index)
end

---@param options.pageSize _ accounts a request, 1 to 1000
---@return { count: integer, passwordHashCount: integer } written
function Admin:exportUsers()
  admin:createUser { uid = "ada", password = "correct horse" }
  local path = os.tmpname()
  print(admin:exportUsers(path).count)
  os.remove(path)
end

---@return string link
---@error userNotFound when there is no such account
function Admin:generatePasswordResetLink()
  admin:createUser { email = "ada@contoso.example", password = "correct horse" }
  local link = admin:generatePasswordResetLink "ada@contoso.example"
  auth:confirmPasswordReset(Auth.ActionCodeURL(link).code, "battery staple")
  print(auth:signInWithEmail("ada@contoso.example", "battery staple").user.email)
end

---@return string link
---@error userNotFound when there is no such account
function Admin:generateEmailVerificationLink()
  admin:createUser { uid = "ada", email = "ada@contoso.example" }
  local link = admin:generateEmailVerificationLink "ada@contoso.example"
  auth:applyActionCode(Auth.ActionCodeURL(link).code)
  print(admin:getUser("ada").emailVerified)
end

---@param settings _ where the link leads on to; `handleCodeInApp` must be true
---@return string link
function Admin:generateSignInWithEmailLink()
  local link = admin:generateSignInWithEmailLink("ada@contoso.example", {
    url = "http://localhost/finish", handleCodeInApp = true,
  })
  print(auth:signInWithEmailLink("ada@contoso.example", link).user.email)
end

---@param newEmail _ the address that is to be the account's
---@return string link
---@error userNotFound when there is no such account
function Admin:generateVerifyAndChangeEmailLink()
  admin:createUser { uid = "ada", email = "ada@contoso.example" }
  local link = admin:generateVerifyAndChangeEmailLink(
    "ada@contoso.example", "ada@lovelace.example")
  auth:applyActionCode(Auth.ActionCodeURL(link).code)
  print(admin:getUser("ada").email)
end

---@return string token
---@error invalidClaims when a claim is the backend's own
function Admin:createCustomToken()
  local token = admin:createCustomToken("ada", { role = "editor" })
  print(auth:signInWithCustomToken(token).user.uid)
end

---@param token _ what user:getIDToken gave
---@return table<string, any> claims
---@error invalidIDToken when it is not to be believed
---@error idTokenExpired when it is too old
---@error idTokenRevoked with `checkRevoked`, when its session was ended
---@error userDisabled with `checkRevoked`, when the account is disabled
function Admin:verifyIDToken()
  local user = auth:signInAnonymously().user
  local claims = admin:verifyIDToken(user:getIDToken(), true)
  print(claims.uid == user.uid)
end

---@param idToken _ what user:getIDToken returned; check yourself that its sign-in is recent
---@param options _ how long it lasts
---@param options.expiresIn _ seconds, from 300 to 1209600
---@return string cookie
---@error invalidSessionCookieDuration when it is to last too long
---@error invalidIDToken when the token is not to be believed
function Admin:createSessionCookie()
  local user = auth:signInAnonymously().user
  local cookie = admin:createSessionCookie(user:getIDToken(), { expiresIn = 3600 })
  print(admin:verifySessionCookie(cookie).uid == user.uid)
end

---@param cookie _ what createSessionCookie gave
---@return table<string, any> claims
---@error invalidSessionCookie when it is not to be believed
---@error sessionCookieExpired when it is too old
---@error sessionCookieRevoked with `checkRevoked`, when its session was ended
function Admin:verifySessionCookie()
  local user = auth:signInAnonymously().user
  local cookie = admin:createSessionCookie(user:getIDToken(), { expiresIn = 300 })
  print(admin:verifySessionCookie(cookie, true).firebase.sign_in_provider)
end

---@return table tenant
---@error invalidArgument when a setting cannot be
function Admin:createTenant()
  local tenant = admin:createTenant {
    displayName = "Crimson", emailSignInConfig = { enabled = true },
  }
  print(tenant.displayName)
  admin:deleteTenant(tenant.tenantID)
end

---@return table tenant
---@error invalidTenantID when there is no such tenant
function Admin:getTenant()
  local id = admin:createTenant({ displayName = "Crimson" }).tenantID
  print(admin:getTenant(id).displayName)
end

---@return table tenant
---@error invalidTenantID when there is no such tenant
function Admin:updateTenant()
  local id = admin:createTenant({ displayName = "Crimson" }).tenantID
  print(admin:updateTenant(id, { anonymousSignInEnabled = true }).anonymousSignInEnabled)
end

---@error invalidTenantID when there is no such tenant
function Admin:deleteTenant()
  local id = admin:createTenant({ displayName = "Crimson" }).tenantID
  admin:deleteTenant(id)
  print(pcall(admin.getTenant, admin, id) == false)
end

---@return fun(): table? next
---@return AdminList list
function Admin:listTenants()
  admin:createTenant { displayName = "Crimson" }
  for tenant in admin:listTenants() do print(tenant.displayName) end
end

---@return Admin admin
function Admin:authForTenant()
  local red = admin:authForTenant(admin:createTenant({ displayName = "Crimson" }).tenantID)
  red:createUser { uid = "grace" }
  print(red:getUser("grace").tenantID == red.tenantID)
end

---@return table settings
---@error insufficientPermission when the service account may not see them
function Admin:getProjectConfig()
  print(table.concat(admin:getProjectConfig().authorizedDomains, ", "))
end

---@return table settings
---@error invalidArgument when a setting cannot be
function Admin:updateProjectConfig()
  local settings = admin:updateProjectConfig {
    emailPrivacyConfig = { enableImprovedEmailPrivacy = false },
  }
  print(settings.emailPrivacyConfig.enableImprovedEmailPrivacy)
end

---@param settings _ what the provider is, and its settings
---@return table provider
---@error configurationExists when the provider is registered
---@error invalidProviderConfiguration when a setting cannot be
function Admin:createProviderConfig()
  local provider = admin:createProviderConfig {
    providerID = "oidc.shop", displayName = "Shop", enabled = true,
    clientID = "app", issuer = "http://localhost:8080",
  }
  print(provider.providerID)
end

---@return table provider
---@error configurationNotFound when there is no such provider
function Admin:getProviderConfig()
  print(admin:getProviderConfig("oidc.corp").enabled)
end

---@return table provider
---@error configurationNotFound when there is no such provider
function Admin:updateProviderConfig()
  print(admin:updateProviderConfig("oidc.corp", { displayName = "Corp" }).displayName)
end

---@error configurationNotFound when there is no such provider
function Admin:deleteProviderConfig()
  admin:deleteProviderConfig "oidc.corp"
  print(pcall(admin.getProviderConfig, admin, "oidc.corp") == false)
end

---@param options _ which providers
---@return fun(): table? next
---@return AdminList list
function Admin:listProviderConfigs()
  for provider in admin:listProviderConfigs { type = "oidc" } do print(provider.providerID) end
end

---@class AdminList

---@param previous any what a generic for passes on; not looked at
---@return any item
function AdminList:next()
  admin:createUser { uid = "ada" }
  local _, list = admin:listUsers()
  print(list:next().uid, list:next())
end
