local actor = require "luath.actor"
local ada = actor.new { email = "ada@luath.example", password = "correct horse" }

--- A user who signs in, with a session of its own.
---@class Actor
---@field email string made up when not given
---@field password? string of the account and, for people made here, at the providers
---@field auth Auth their session: nobody else's sign-in changes it
---@field user? User the signed-in user of `auth`
---@field phoneNumber? string for SMS

--- A person by their e-mail address, as `actor.get`, or of a table, as `actor.new`.
---
---@async
---@param who? string|table the address, or who it is
---@return Actor person
function actor.__call(who)
  print(actor("ada@contoso.example"):signIn("microsoft.com").user.displayName)
end

---@async
---@param options? table who it is; whatever is not given is made up
---@param options.email? string the e-mail address
---@param options.password? string of the account; with it there is one
---@param options.account? boolean whether there is an account; true with a password
---@param options.name? string the name at the providers
---@param options.photo? string the picture's address at the providers
---@param options.emailVerified? boolean whether the providers vouch for the address
---@param options.providers? string[] the providers that have the user; all when not given
---@param options.microsoft? table as under `people` in the project file
---@param options.yahoo? table as under `people` in the project file
---@param options.google? table as under `people` in the project file
---@param options.oidc? table as under `people` in the project file
---@param options.providerPassword? string at the providers, when that is another one
---@param options.phoneNumber? string for `sms`
---@param options.auth? Auth the session; one of their own when not given
---@param options.target? string a name under targets of the project file
---@return Actor person
function actor.new(options)
  local ada <close> = actor.new { email = "ada@luath.example", password = "correct horse" }
  ada:signIn()
  ada:link "microsoft.com"
  print(table.concat(ada:signInMethods(), ", "))
end

---@param email string the e-mail address
---@param options? table what else is known
---@param options.password? string of the account
---@param options.providerPassword? string at the providers, when that is another one
---@param options.phoneNumber? string for `sms`
---@param options.auth? Auth the session; one of their own when not given
---@param options.target? string a name under targets of the project file
---@return Actor person
function actor.get(email, options)
  local grace = actor.get "grace@fabrikam.example"
  grace:signIn "microsoft.com"
  print(grace.user.displayName)
end

---@param more? table further answers, as of `ui.form`
---@return UIDelegate? delegate
function Actor:delegate(more)
  local provider = ada:provider "google.com"
  print(ada.auth:createUser("other@luath.example", "battery staple").user.email)
  print(provider:getCredential(ada:delegate { consent = true }).providerID)
end

---@param id string the provider's id
---@param options? table how to ask
---@param options.scopes? string[] permissions to ask for
---@param options.customParameters? table<string, string> parameters for the provider
---@return OAuthProvider provider
function Actor:provider(id, options)
  local provider = ada:provider("yahoo.com", { customParameters = { prompt = "login" } })
  print(provider.customParameters.login_hint)
end

---@async
---@param id string the provider's id
---@param options? table how to ask, and who answers
---@param options.scopes? string[] permissions to ask for
---@param options.customParameters? table<string, string> parameters for the provider
---@param options.delegate? UIDelegate|function shows the page
---@param options.answers? table further answers, as of `ui.form`
---@return Credential credential
---@error webConsentDenied when the answers refuse
function Actor:credential(id, options)
  print(ada:credential("google.com").providerID)
  local good, err = pcall(ada.credential, ada, "google.com", {
    customParameters = { prompt = "consent" }, answers = { consent = false },
  })
  print(good, err.code)
end

---@async
---@return User user
---@error emailAlreadyInUse when the address has an account
function Actor:createAccount()
  local bob = actor.new { email = "bob@luath.example" }
  print(bob:createAccount().email)
end

---@async
---@param id? string the provider's id; by e-mail address and password when not given
---@param options? table as of `credential`
---@return AuthDataResult result
---@error invalidCredential when the password is wrong
---@error accountExistsWithDifferentCredential when the address has an account with other sign-in methods
function Actor:signIn(id, options)
  print(ada:signIn().user.email)
end

---@async
---@param id? string the provider's id; by e-mail address and password when not given
---@param options? table as of `credential`
---@return AuthDataResult? result
---@return AuthError? err
function Actor:trySignIn(id, options)
  local result, err = ada:trySignIn "microsoft.com"
  print(result, err.code)
end

---@async
---@param id string the provider's id
---@param options? table as of `credential`
---@return AuthDataResult result
---@error credentialAlreadyInUse when it is another account's
---@error providerAlreadyLinked when the user has it
function Actor:link(id, options)
  ada:signIn()
  ada:link "google.com"
  print(#ada.user.providerData)
end

---@async
---@param id? string the provider's id; by the password when not given
---@param options? table as of `credential`
---@error userMismatch when the proof is another person's
function Actor:reauthenticate(id, options)
  ada:signIn()
  require("luath.emulator").advance(3600)
  ada:reauthenticate()
  ada.user:updatePassword "battery staple"
  print(ada.user.email)
end

---@return User user
function Actor:signedIn()
  ada:signIn()
  print(ada:signedIn().email)
end

function Actor:signOut()
  ada:signIn()
  ada:signOut()
  print(ada.user)
end

---@return string[] ids
function Actor:signInMethods()
  ada:signIn()
  print(table.concat(ada:signInMethods(), ", "))
end

---@async
---@return { to: string, from: string, senderDisplayName: string?, replyTo: string?, subject: string, text: string, html: string?, language: string, email: string, newEmail: string?, requestType: string, oobCode: string, oobLink: string, sentAt: integer, isUsed: boolean }[] mails as of `emulator.mails`
---@error notImplemented when the emulator is Firebase's
function Actor:mails()
  ada:signIn()
  ada.user:sendEmailVerification()
  ada.auth:applyActionCode(ada:newestEmail().oobCode)
  print(#ada:mails(), ada:mails()[1].subject, ada:mails()[1].isUsed)
end

---@async
---@return { to: string?, subject: string?, text: string?, html: string?, language: string?, email: string, newEmail: string?, requestType: string, oobCode: string, oobLink: string } email `newEmail` is the address that a change of address leads to; Firebase's emulator has no texts
function Actor:newestEmail()
  ada:signIn()
  ada.user:sendEmailVerification()
  ada.auth:applyActionCode(ada:newestEmail().oobCode)
  ada.user:reload()
  print(ada.user.isEmailVerified)
end

---@async
---@param number? string `phoneNumber` of the user when not given, or that of the account
---@return { phoneNumber: string, text: string?, language: string?, code: string, sessionInfo: string, sentAt: integer?, isUsed: boolean? }[] sms as of `emulator.sms`; Firebase's emulator has no texts
function Actor:sms(number)
  local Auth = require "luath.auth"
  Auth.PhoneAuthProvider():verifyPhoneNumber "+15555550100"
  print(ada:sms("+15555550100")[1].phoneNumber)
end

---@async
---@param number? string `phoneNumber` of the user when not given, or that of the account
---@return { phoneNumber: string, text: string?, language: string?, code: string, sessionInfo: string, sentAt: integer?, isUsed: boolean? } sms
function Actor:newestSMS(number)
  local Auth = require "luath.auth"
  local bob = actor.new { phoneNumber = "+15555550100" }
  local id = Auth.PhoneAuthProvider():verifyPhoneNumber(bob.phoneNumber)
  bob.auth:signIn(Auth.PhoneAuthProvider.credential(id, bob:newestSMS().code))
end

---@async
function Actor:cleanUp()
  local bob = actor.new { password = "correct horse" }
  bob:cleanUp()
  print(bob:trySignIn() == nil)
end
