local merge = require "luath.merge"
local Auth = require "luath.auth"
local emulator = require "luath.emulator"
local auth = Auth.auth()
local microsoft = Auth.OAuthProvider "microsoft.com"

--- Ada has an account with a password already.
local function prepare()
  auth:createUser("ada@contoso.example", "correct horse")
  auth:signOut()
end

--- The result of a merge.
---@class MergeResult
---@field user User the signed-in user
---@field credential? Credential what the provider gave
---@field additionalUserInfo? AdditionalUserInfo the data that the provider sent
---@field merged boolean whether there was a conflict
---@field conflict? AuthError the conflict
---@field providers SignInMethods the sign-in methods of the account now
---@field before? string[] the sign-in methods before, if the project lists them
---@field linked string[] the ways that came
---@field lost string[] the ways that are gone: a provider that vouches for the address replaces what nobody had verified
---@field renewed boolean whether the provider's page was shown again
---@field attempts integer how many proofs it took
---@field anonymous? { uid: string, deleted: boolean, error: any } the anonymous account that was left, with `upgrade`

--- What a policy receives about a conflict.
---@class MergeConflict
---@field email string the address of the existing account
---@field providerID string who is new
---@field verifiedProviders string[] ways whose owner is the same person
---@field methods? string[] the account's sign-in methods, if the project lists them
---@field attempt integer 1 the first time
---@field failure? AuthError why the last attempt failed
---@field error AuthError the conflict itself
---@field auth Auth a session apart, which makes no accounts

---@async
---@param auth Auth whose user it is to be
---@param proof Credential|OAuthProvider|table what auth:signIn takes
---@param options? table who proves what
---@param options.prove? fun(conflict: MergeConflict): any, any a policy: returns what proves the existing account, or nil
---@param options.attempts? integer how often it may try; 3
---@param options.renew? OAuthProvider|fun(err: AuthError): any how to sign in again when the pending credential is spent
---@param options.resolve? fun(err: AuthError): AuthDataResult finishes a sign-in that asks for a second factor
---@param options.delegate? UIDelegate|function shows the pages of providers
---@param options.email? string the address that will sign in, if it is known
---@param options.upgrade? boolean whether an anonymous user is linked and keeps the uid
---@param options.migrate? fun(anonymous: User, user: User) called before an anonymous user is left
---@param options.deleteAnonymous? boolean whether the anonymous account that was left is deleted
---@return MergeResult result
---@error userMismatch when the proof is of another account; nothing was linked
---@error accountExistsWithDifferentCredential when nobody proved anything
function merge.signIn(auth, proof, options)
  prepare()
  local result = merge.signIn(auth, microsoft, { prove = merge.password "correct horse" })
  print(result.merged, table.concat(result.providers, ", "))
end

---@param password string|fun(conflict: MergeConflict): string? the password, or what asks for it as often as it is wrong
---@return fun(conflict: MergeConflict): any, any policy
function merge.password(password)
  prepare()
  local function ask(conflict)
    return conflict.attempt == 1 and "wrong horse" or "correct horse"
  end
  print(merge.signIn(auth, microsoft, { prove = merge.password(ask) }).attempts)
end

---@param list (string|OAuthProvider)[] the providers, in order
---@param delegate? UIDelegate|function shows their pages
---@return fun(conflict: MergeConflict): any, any policy
function merge.providers(list, delegate)
  local google = Auth.OAuthProvider "google.com"
  google.customParameters = { login_hint = "ada@contoso.example" }
  auth:signIn(google)
  auth:signOut()
  local result = merge.signIn(auth, microsoft, { prove = merge.providers { "google.com" } })
  print(table.concat(result.providers, ", "))
end

---@param read fun(email: string): string? returns the link of the e-mail
---@param settings table as of `auth:sendSignInLink`
---@return fun(conflict: MergeConflict): any, any policy
function merge.emailLink(read, settings)
  prepare()
  local function read()
    local letters = emulator.oobCodes()
    return letters[#letters].oobLink
  end
  local policy = merge.emailLink(read, { url = "http://localhost/", handleCodeInApp = true })
  print(merge.signIn(auth, microsoft, { prove = policy }).merged)
end

---@param ... fun(conflict: MergeConflict): any, any the policies
---@return fun(conflict: MergeConflict): any, any policy
function merge.firstOf(...)
  prepare()
  local policy = merge.firstOf(merge.providers { "google.com" }, merge.password "correct horse")
  print(merge.signIn(auth, microsoft, { prove = policy }).merged)
end
