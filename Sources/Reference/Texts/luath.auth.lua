local Auth = require "luath.auth"
local emulator = require "luath.emulator"
local totp = require "luath.totp"
local ui = require "luath.ui"
local crypto = require "luath.crypto"
local auth = Auth.auth()
local user = auth:createUser("ada@contoso.example", "correct horse").user

--- A user whose address is verified and whose second factor is an app.
local function enrolled()
  local known = Auth.session():signIn(Auth.OAuthProvider "google.com").user
  local generator = Auth.TOTPMultiFactorGenerator
  local secret = generator.generateSecret(known.multiFactor:getSession())
  known.multiFactor:enroll(generator.assertionForEnrollment(secret, totp.code(secret)), "my app")
  emulator.advance(30)
  return known, secret
end

--- What a sign-in is refused with that asks for the second factor.
local function refused()
  local _, secret = enrolled()
  local _, err = pcall(auth.signIn, auth, Auth.OAuthProvider "google.com")
  return err, secret
end

--- A function that reads the SMS codes of phone numbers from the emulator.
local function readMessage(request)
  for _, message in ipairs(emulator.verificationCodes()) do
    if message.phoneNumber == request.phoneNumber then return message.code end
  end
end

--- `Auth()` is `Auth.auth()`. A name that the module or one of its tables does not have raises,
--- instead of being nil.
---
---@field ErrorCode table<string, string> the codes of errors, each under its own name
---@field ActionCodeOperation table<string, string> what the code of an e-mail does: resetPassword, verifyEmail and so on
---@field EmailAuthProviderID string the id password, as in the SDKs; the other providers have such names too

---@param options.target _ a name under targets of the project file
---@return Auth auth
function Auth.auth()
  print(Auth.auth() == Auth.auth())
  assert(Auth.auth().currentUser == nil)
end

---@param options.target _ a name under targets of the project file
---@return Auth auth
function Auth.session()
  local one, other = Auth.session(), Auth.session()
  one:signInAnonymously()
  print(one.currentUser ~= nil, other.currentUser)
  assert(other.currentUser == nil)
end

---@param path _ the file that auth:save wrote
---@param options.target _ a name under targets of the project file
---@return Auth auth
---@error keychainError when the file cannot be read, or is of another project
---@error userTokenExpired when the session was ended meanwhile
function Auth.load()
  local path = os.tmpname()
  auth:signInAnonymously()
  auth:save(path)
  local again = Auth.load(path)
  print(again.currentUser.uid == auth.currentUser.uid)
  os.remove(path)
end

---@param link _ the address in the e-mail
---@return { operation: string, code: string, apiKey: string?, continueURL: string?, languageCode: string?, tenantID: string? }? parts
function Auth.ActionCodeURL()
  user:sendEmailVerification()
  local link = Auth.ActionCodeURL(emulator.oobCodes()[1].oobLink)
  print(link.operation)
  assert(link.operation == Auth.ActionCodeOperation.verifyEmail)
end

---@param code Auth.ErrorCode a name of `Auth.ErrorCode`
---@param message _ what happened; the code's usual words when not given
---@param hint _ what to do about it
---@return AuthError err to pass to `error`
function Auth.createError()
  local good, err = pcall(function()
    error(Auth.createError(Auth.ErrorCode.webContextCancelled, "she changed her mind"))
  end)
  print(good, err.code, err.rawValue)
  assert(err.webCode:find "^auth/")
end

--- A provider of any id, whose sign-in page `getCredential` shows.
---
---@param providerID string `microsoft.com`, `yahoo.com`, `google.com`, `oidc.NAME`, …
---@param auth? Auth whose page it is; the run's own when not given
---@return OAuthProvider provider
---@error invalidProviderID when it is no id of a provider with pages
function Auth.OAuthProvider(providerID, auth)
  local provider = Auth.OAuthProvider "microsoft.com"
  provider.customParameters = { prompt = "consent", tenant = "contoso.example" }
  provider.scopes = { "mail.read" }
  print(auth:signIn(provider:getCredential()).user.email)
end

--- A credential of tokens that the script got itself; also of one table with these names.
---
---@param providerID string|table the provider's id, or all values by name
---@param idToken? string the provider's ID token
---@param rawNonce? string what the token's nonce is the SHA-256 of
---@param accessToken? string the provider's access token
---@return Credential credential
function Auth.OAuthProvider.credential(providerID, idToken, rawNonce, accessToken)
  local client = require("luath.oidc").client {
    issuer = emulator.origin .. "/oidc/implicit", clientID = "luath-client-oidc.implicit",
    redirectURI = "http://127.0.0.1:8910/callback",
  }
  local tokens = client:signIn(ui.form { username = "barbara@corp.example", password = "luath-demo" })
  local credential = Auth.OAuthProvider.credential(
    "oidc.implicit", tokens.idToken, tokens.rawNonce)
  print(auth:signIn(credential).user.email)
end

--- A credential of Apple's tokens, with the name that only the first sign-in has.
---
---@param idToken string Apple's ID token
---@param rawNonce? string what the token's nonce is the SHA-256 of
---@param fullName? table the person's name
---@param fullName.givenName? string the first name
---@param fullName.familyName? string the last name
---@return Credential credential
function Auth.OAuthProvider.appleCredential(idToken, rawNonce, fullName)
  local credential = Auth.OAuthProvider.appleCredential(
    "eyJhbGciOiJub25lIn0.e30.", crypto.random(), { givenName = "Ada", familyName = "Lovelace" })
  print(credential.providerID)
end

--- Sends SMS codes to phone numbers.
---
---@param auth? Auth whose session asks for codes; the run's own when not given
---@return PhoneAuthProvider provider
function Auth.PhoneAuthProvider(auth)
  local id = Auth.PhoneAuthProvider():verifyPhoneNumber("+15555550100")
  local code = emulator.verificationCodes()[1].code
  print(auth:signIn(Auth.PhoneAuthProvider.credential(id, code)).user.phoneNumber)
end

--- A credential of an SMS code.
---
---@param verificationID string what verifyPhoneNumber gave
---@param code string the six digits, as text
---@return Credential credential
function Auth.PhoneAuthProvider.credential(verificationID, code)
  local id = Auth.PhoneAuthProvider():verifyPhoneNumber("+15555550100")
  local credential = Auth.PhoneAuthProvider.credential(id, "000000")
  local good, err = pcall(auth.signIn, auth, credential)
  print(good, err.code)
  assert(err.code == Auth.ErrorCode.invalidVerificationCode)
end

--- The id of sign-ins by phone: `phone`.
---
---@return string
Auth.PhoneAuthProvider.id = "phone"

--- A credential of an e-mail address and its password.
---
---@param email string the e-mail address
---@param password string the password
---@return Credential credential
function Auth.EmailAuthProvider.credential(email, password)
  local user = auth:signInAnonymously().user
  user:link(Auth.EmailAuthProvider.credential("ada@contoso.example", "correct horse"))
  print(user.email, user.isAnonymous)
end

--- A credential of an e-mail address and the link that was sent to it.
---
---@param email string the e-mail address
---@param link string the address of the link in the e-mail
---@return Credential credential
---@error invalidActionCode when the link is not one to sign in with
function Auth.EmailAuthProvider.credentialWithLink(email, link)
  auth:sendSignInLink("ada@contoso.example", {
    url = "http://localhost/finish", handleCodeInApp = true,
  })
  local link = emulator.oobCodes()[1].oobLink
  local credential = Auth.EmailAuthProvider.credentialWithLink("ada@contoso.example", link)
  print(auth:signIn(credential).user.email)
end

--- The id of sign-ins by e-mail address: `password`.
---
---@return string
Auth.EmailAuthProvider.id = "password"

--- A credential of Google's tokens.
---
---@param idToken? string the ID token
---@param accessToken? string the access token; one of both is needed
---@return Credential credential
---@error invalidCredential when neither is given
function Auth.GoogleAuthProvider.credential(idToken, accessToken)
  local credential = Auth.GoogleAuthProvider.credential(nil, "ya29.a0AfH6SMBx")
  print(credential.providerID)
end

--- Google's id: `google.com`.
---
---@return string
Auth.GoogleAuthProvider.id = "google.com"

--- A credential of Facebook's access token.
---
---@param accessToken string the access token
---@return Credential credential
function Auth.FacebookAuthProvider.credential(accessToken)
  print(Auth.FacebookAuthProvider.credential("EAAG0e8vXyz").providerID)
end

--- Facebook's id: `facebook.com`.
---
---@return string
Auth.FacebookAuthProvider.id = "facebook.com"

--- A credential of GitHub's access token.
---
---@param token string the access token
---@return Credential credential
function Auth.GitHubAuthProvider.credential(token)
  print(Auth.GitHubAuthProvider.credential("gho_16C7e42F292c").providerID)
end

--- GitHub's id: `github.com`.
---
---@return string
Auth.GitHubAuthProvider.id = "github.com"

--- A credential of Twitter's token and its secret (OAuth 1).
---
---@param token string the token
---@param secret string its secret
---@return Credential credential
function Auth.TwitterAuthProvider.credential(token, secret)
  print(Auth.TwitterAuthProvider.credential("7588892-kagSNqWge8", "PbKfYqSryyeKDWz4eb").providerID)
end

--- Twitter's id: `twitter.com`.
---
---@return string
Auth.TwitterAuthProvider.id = "twitter.com"

--- The id of a custom provider; the others of the table are fields of it, such as
--- `AuthProviderID.microsoft`.
---
---@param providerID string `oidc.NAME`, `saml.NAME` or any other
---@return string providerID
---@error invalidProviderID when it cannot be one
function Auth.AuthProviderID.custom(providerID)
  print(Auth.AuthProviderID.custom "oidc.corp", Auth.AuthProviderID.yahoo)
  assert(Auth.AuthProviderID.microsoft == "microsoft.com")
end

---@param credential _ of PhoneAuthProvider.credential
---@return MultiFactorAssertion assertion
---@error invalidCredential when the credential is not one of a phone number
function Auth.PhoneMultiFactorGenerator.assertion()
  local known = enrolled()
  local phone = Auth.PhoneAuthProvider()
  local id = phone:verifyPhoneNumber("+15555550100", { session = known.multiFactor:getSession() })
  local credential = Auth.PhoneAuthProvider.credential(id, emulator.verificationCodes()[1].code)
  known.multiFactor:enroll(Auth.PhoneMultiFactorGenerator.assertion(credential), "her phone")
  print(#known.multiFactor.enrolledFactors)
end

---@param session _ of user.multiFactor:getSession()
---@return TOTPSecret secret
---@error unverifiedEmail when the user's address is not verified
function Auth.TOTPMultiFactorGenerator.generateSecret()
  local known = auth:signIn(Auth.OAuthProvider "google.com").user
  local session = known.multiFactor:getSession()
  local secret = Auth.TOTPMultiFactorGenerator.generateSecret(session)
  print(secret.digits, secret.period)
end

---@param secret _ of generateSecret
---@param code _ what the app shows
---@return MultiFactorAssertion assertion
function Auth.TOTPMultiFactorGenerator.assertionForEnrollment()
  local known = auth:signIn(Auth.OAuthProvider "google.com").user
  local generator = Auth.TOTPMultiFactorGenerator
  local secret = generator.generateSecret(known.multiFactor:getSession())
  known.multiFactor:enroll(
    generator.assertionForEnrollment(secret, totp.code(secret)), "my app")
  print(known.multiFactor.enrolledFactors[1].displayName)
end

---@param factor _ a factor of err.resolver.hints, or its uid
---@param code _ what the app shows
---@return MultiFactorAssertion assertion
function Auth.TOTPMultiFactorGenerator.assertionForSignIn()
  local err, secret = refused()
  local factor = err.resolver.hints[1]
  local assertion = Auth.TOTPMultiFactorGenerator.assertionForSignIn(factor, totp.code(secret))
  print(err.resolver:resolveSignIn(assertion).user.email)
end

--- The result of signing in, linking and reauthenticating.
---@class AuthDataResult
---@field user User the signed-in user
---@field additionalUserInfo? AdditionalUserInfo the data that the provider sent
---@field credential? Credential what the provider gave, with its tokens

--- The data of a provider about the user who signed in.
---@class AdditionalUserInfo
---@field providerID string the provider's id
---@field isNewUser boolean whether this sign-in made the account
---@field profile table<string, any> the data of the provider about the user
---@field username? string the name at the provider, where it has such names

--- A sign-in method of a user.
---@class UserInfo
---@field providerID string the provider's id, or `password` or `phone`
---@field uid string the person's id there
---@field displayName? string the name there
---@field photoURL? string the picture's address there
---@field email? string the e-mail address there
---@field phoneNumber? string the phone number

--- A second factor, as its owner sees it.
---@class MultiFactorInfo
---@field uid string the factor's id
---@field factorID string `phone` or `totp`
---@field displayName? string the name it was enrolled under
---@field enrollmentDate? integer when, in milliseconds since 1970
---@field phoneNumber? string the number, with all but its end masked

--- A list of providers or sign-in methods.
---@class SignInMethods
---@field [integer] string the id of a provider, or the name of a sign-in method
---@field contains fun(self: SignInMethods, id: string): boolean whether the list has this id

--- An error, as calls raise it. `tostring` returns its message.
---@class AuthError
---@field code Auth.ErrorCode|string a name of `Auth.ErrorCode`
---@field rawValue? integer the Apple SDK's number of the code
---@field name? string the Apple SDK's name of the code, such as ERROR_USER_NOT_FOUND
---@field webCode? string the Web SDK's name of the code, such as auth/user-not-found
---@field message string what happened
---@field hint string what to do about it
---@field email? string the address that an account has already
---@field pendingCredential? Credential what to link once the account's owner has signed in
---@field verifiedProviders? SignInMethods sign-in methods of the same owner
---@field resolver? MultiFactorResolver what finishes a sign-in that asks for a second factor
---@field serverName? string the backend's own name of the refusal
---@field details? table more about it, depending on the code

---@class Auth

---@param proof Credential|OAuthProvider|table a credential, a provider whose page is shown, or a table with email and password, email and link, or customToken
---@param delegate _ shows the page: one of luath.ui, or a function
---@return AuthDataResult result
---@error accountExistsWithDifferentCredential when the address has an account with other sign-in methods; see err.email, err.pendingCredential, err.verifiedProviders
---@error invalidCredential when the provider's response is not accepted, or an address and a password do not fit
---@error operationNotAllowed when the project has the provider off
---@error userDisabled when an administrator has disabled the account
---@error secondFactorRequired when the account has a second factor; go on with err.resolver
---@error webContextCancelled when the person closed the page
---@error webConsentDenied when the person refused
function Auth:signIn()
  local result = auth:signIn(Auth.OAuthProvider "microsoft.com")
  print(result.user.email, result.additionalUserInfo.isNewUser)
  assert(auth.currentUser.uid == result.user.uid)
end

---@return AuthDataResult result
---@error invalidCredential when they do not fit; without enumeration protection wrongPassword or userNotFound
---@error tooManyRequests after many wrong passwords
function Auth:signInWithEmail()
  auth:createUser("ada@contoso.example", "correct horse")
  auth:signOut()
  local result = auth:signInWithEmail("ada@contoso.example", "correct horse")
  print(result.user.email)
end

---@param token _ what admin:createCustomToken made, or your server
---@return AuthDataResult result
---@error invalidCustomToken when the token is malformed or too old
---@error customTokenMismatch when it is of another project
function Auth:signInWithCustomToken()
  local token = require("luath.admin").admin():createCustomToken("ada", { role = "editor" })
  local user = auth:signInWithCustomToken(token).user
  print(user.uid, user:getIDTokenResult().claims.role)
end

---@return AuthDataResult result
---@error operationNotAllowed when the project has anonymous sign-ins off
function Auth:signInAnonymously()
  local user = auth:signInAnonymously().user
  print(user.isAnonymous)
  assert(user.email == nil)
end

---@return AuthDataResult result
---@error emailAlreadyInUse when the address has an account
---@error weakPassword when the password is too short
---@error invalidEmail when it is no address
function Auth:createUser()
  local user = auth:createUser("ada@contoso.example", "correct horse").user
  print(user.email, user.isEmailVerified)
  local _, err = pcall(auth.createUser, auth, "ada@contoso.example", "battery staple")
  assert(err.code == Auth.ErrorCode.emailAlreadyInUse)
end

---@param delegate fun(request: { phoneNumber: string, verificationID: string }): string returns the code
---@return AuthDataResult result
---@error invalidPhoneNumber when the number is not in international form
---@error invalidVerificationCode when the code is wrong
---@error missingVerificationCode when the function returns none
function Auth:signInWithPhoneNumber()
  local user = auth:signInWithPhoneNumber("+15555550100", readMessage).user
  print(user.phoneNumber)
end

---@return SignInMethods ids
function Auth:fetchProviders()
  emulator.configure { enumerationProtection = false }
  auth:createUser("ada@contoso.example", "correct horse")
  print(auth:fetchProviders("ada@contoso.example"):contains "password")
  emulator.configure { enumerationProtection = true }
end

---@return SignInMethods methods
function Auth:fetchSignInMethods()
  emulator.configure { enumerationProtection = false }
  auth:createUser("ada@contoso.example", "correct horse")
  print(table.concat(auth:fetchSignInMethods("ada@contoso.example"), ", "))
  emulator.configure { enumerationProtection = true }
end

---@return boolean done true; a failure raises an error
function Auth:signOut()
  auth:signInAnonymously()
  auth:signOut()
  print(auth.currentUser)
  assert(auth.currentUser == nil)
end

---@param f fun(user: User?) called with the user, or nil when no user is signed in
---@return fun() stop ends it
function Auth:onAuthStateChanged()
  local stop = auth:onAuthStateChanged(function(user)
    print(user and user.uid or "nobody")
  end)
  auth:signInAnonymously()
  require("luath.task").sleep(0)
  stop()
end

---@param f fun(user: User?) called with the user, or nil when no user is signed in
---@return fun() stop ends it
function Auth:onIDTokenChanged()
  local count = 0
  local stop = auth:onIDTokenChanged(function() count = count + 1 end)
  auth:signInAnonymously().user:getIDToken(true)
  require("luath.task").sleep(0.01)
  print(count)
  stop()
end

---@param f fun(auth: Auth, user: User?) called with the Auth, and the user or nil
---@return AuthListener listener
function Auth:addStateDidChangeListener()
  local listener = auth:addStateDidChangeListener(function(_, user)
    print(user and user.uid or "nobody")
  end)
  auth:signInAnonymously()
  auth:removeStateDidChangeListener(listener)
end

function Auth:removeStateDidChangeListener()
  local listener = auth:addStateDidChangeListener(print)
  auth:removeStateDidChangeListener(listener)
  auth:signInAnonymously()
end

---@param f fun(auth: Auth, user: User?) called with the Auth, and the user or nil
---@return AuthListener listener
function Auth:addIDTokenDidChangeListener()
  local listener = auth:addIDTokenDidChangeListener(function(_, user)
    print(user and "a token" or "nobody")
  end)
  auth:signInAnonymously()
  auth:removeIDTokenDidChangeListener(listener)
end

function Auth:removeIDTokenDidChangeListener()
  local listener = auth:addIDTokenDidChangeListener(print)
  auth:removeIDTokenDidChangeListener(listener)
  auth:signInAnonymously()
end

---@param user _ the new current user
---@error nullUser when the user is nil
---@error userTokenExpired when the user's session was ended
---@error invalidUserToken when the user is of another project
function Auth:updateCurrentUser()
  local beside = auth:session()
  beside:signInAnonymously()
  auth:updateCurrentUser(beside.currentUser)
  print(auth.currentUser.uid == beside.currentUser.uid)
end

--- Reads the account again, so that a user who was disabled or deleted raises here. Save the result for Playwright,
--- run its script in a page, or pass the Auth to `page:signInAs`. Printing it shows no token.
---
---@param app _ the app that is to be signed in; `origin` has no path
---@return BrowserState state
---@error nullUser when no user is signed in
---@error userDisabled when the account was disabled meanwhile
---@error userTokenExpired when the session was ended meanwhile
---@error invalidArgument when the origin is none, or the API key is missing or another project's
---@error sessionEnds in a wide fixture of `luath test`, when the embedded emulator would drop the account before its use
function Auth:browserState()
  auth:signInAnonymously()
  local state = auth:browserState { origin = "http://localhost:3000", apiKey = "demo-key" }
  print(state)
end

---@class BrowserState

---@param other _ the state of another user, or of the same one at another origin
---@return BrowserState state
---@error invalidArgument when both have a user for the same app
function BrowserState:add()
  auth:signInAnonymously()
  local state = auth:browserState { origin = "http://localhost:3000", apiKey = "demo-key" }
  local admin = auth:browserState { origin = "http://localhost:3001", apiKey = "demo-key" }
  print(#state:add(admin).origins)
end

---@param path _ the file, which replaces an older one
---@error keychainError when the file cannot be written
---@error invalidArgument when the persistence is session, which Playwright's file cannot have
function BrowserState:save()
  auth:signInAnonymously()
  local path = os.tmpname()
  auth:browserState({ origin = "http://localhost:3000", apiKey = "demo-key" }):save(path)
  print(io.open(path):read "a":find "firebaseLocalStorageDb" ~= nil)
  os.remove(path)
end

---@return string json
---@error invalidArgument when the persistence is session, which Playwright's file cannot have
function BrowserState:json()
  auth:signInAnonymously()
  local state = auth:browserState { origin = "http://localhost:3000", apiKey = "demo-key" }
  print(require("luath.json").decode(state:json()).origins[1].origin)
end

--- The value of the expression is a promise, which is rejected on a page of another origin.
---
---@return string script
function BrowserState:script()
  auth:signInAnonymously()
  local state = auth:browserState { origin = "http://localhost:3000", apiKey = "demo-key" }
  print(#state:script() > 0)
end

---@param path _ the file, which only its owner can read
---@error keychainError when the file cannot be written
---@error sessionEnds in a wide fixture of `luath test`, when the embedded emulator would drop the account before its use
function Auth:save()
  local path = os.tmpname()
  auth:signInAnonymously()
  auth:save(path)
  print(Auth.load(path).currentUser.uid == auth.currentUser.uid)
  os.remove(path)
end

function Auth:useAppLanguage()
  auth:useAppLanguage()
  print(auth.languageCode)
end

---@param settings _ where the link leads on to; `handleCodeInApp` must be true
---@error invalidArgument when `handleCodeInApp` is not true
---@error missingContinueURI when the url is missing
---@error operationNotAllowed when the project has links off
function Auth:sendSignInLink()
  auth:sendSignInLink("ada@contoso.example", {
    url = "http://localhost/finish", handleCodeInApp = true,
  })
  print(emulator.oobCodes()[1].requestType)
end

---@param link _ an address, also one with the link inside
---@return boolean isLink
function Auth:isSignInWithEmailLink()
  print(auth:isSignInWithEmailLink "https://app.example/?page=1")
  assert(not auth:isSignInWithEmailLink "https://app.example/?page=1")
end

---@param link _ the address of the link in the e-mail
---@return AuthDataResult result
---@error invalidActionCode when the code was used, or never made
---@error expiredActionCode when it is too old
---@error invalidEmail when it was sent to another address
function Auth:signInWithEmailLink()
  auth:sendSignInLink("ada@contoso.example", {
    url = "http://localhost/finish", handleCodeInApp = true,
  })
  local link = emulator.oobCodes()[1].oobLink
  print(auth:signInWithEmailLink("ada@contoso.example", link).user.isEmailVerified)
end

---@error userNotFound when there is no such account, without enumeration protection
---@error invalidEmail when it is no address
function Auth:sendPasswordReset()
  auth:createUser("ada@contoso.example", "correct horse")
  auth:sendPasswordReset("ada@contoso.example")
  print(emulator.oobCodes()[1].requestType)
end

---@param code _ of the link in the e-mail
---@return string email
---@error invalidActionCode when the code was used, or never made
---@error expiredActionCode when it is too old
function Auth:verifyPasswordResetCode()
  auth:createUser("ada@contoso.example", "correct horse")
  auth:sendPasswordReset("ada@contoso.example")
  print(auth:verifyPasswordResetCode(emulator.oobCodes()[1].oobCode))
end

---@param code _ of the link in the e-mail
---@error invalidActionCode when the code was used, or never made
---@error weakPassword when the new password is too short
function Auth:confirmPasswordReset()
  auth:createUser("ada@contoso.example", "correct horse")
  auth:sendPasswordReset("ada@contoso.example")
  auth:confirmPasswordReset(emulator.oobCodes()[1].oobCode, "battery staple")
  print(auth:signInWithEmail("ada@contoso.example", "battery staple").user.email)
end

---@param code _ of the link in the e-mail
---@return { operation: string, email: string?, previousEmail: string?, multiFactorInfo: MultiFactorInfo? } info
---@error invalidActionCode when the code was used, or never made
function Auth:checkActionCode()
  user:sendEmailVerification()
  local info = auth:checkActionCode(emulator.oobCodes()[1].oobCode)
  print(info.operation, info.email)
end

---@param code _ of the link in the e-mail
---@error invalidActionCode when the code was used, or never made
function Auth:applyActionCode()
  user:sendEmailVerification()
  auth:applyActionCode(emulator.oobCodes()[1].oobCode)
  user:reload()
  print(user.isEmailVerified)
  assert(user.isEmailVerified)
end

---@return table status isValid, a boolean for each rule, and passwordPolicy
function Auth:validatePassword()
  local status = auth:validatePassword "short"
  print(status.isValid, status.meetsMinPasswordLength)
  assert(not status.isValid)
end

---@return { siteKey: string?, emailPassword: string, phone: string } config
function Auth:initializeRecaptchaConfig()
  print(auth:initializeRecaptchaConfig().emailPassword)
end

---@param authorizationCode _ what Apple gave to the app
---@error nullUser when nobody is signed in
---@error operationNotAllowed when the project has Apple off
function Auth:revokeToken()
  local good, err = pcall(auth.revokeToken, auth, "c6a8f1e0")
  print(good, err.code)
end

---@return Auth auth
function Auth:session()
  local beside = auth:session()
  beside:signInAnonymously()
  print(auth.currentUser)
  assert(auth.currentUser == nil)
end

---@class OAuthProvider

--- Shows the provider's sign-in page and returns its credential.
---
--- The credential is not sent to the backend yet, so a conflict with an account is raised by `signIn`. With the
--- option `raisesConflict` it is raised here, as Firebase's guides write it. The backend then treats the call as
--- a sign-in that creates no account.
---
---@param delegate _ shows the page: one of luath.ui, or a function
---@param options _ how to get it
---@param options.raisesConflict _ raise accountExistsWithDifferentCredential here, not at the sign-in
---@return Credential credential
---@error accountExistsWithDifferentCredential with raisesConflict, when the address has an account with other providers
---@error webContextCancelled when the person closed the page
---@error webConsentDenied when the person refused
---@error operationNotAllowed when the project has the provider off
---@error invalidCustomParameter when a parameter is the backend's own to set
function OAuthProvider:getCredential()
  local provider = Auth.OAuthProvider "yahoo.com"
  provider.customParameters = { login_hint = "yuki@yahoo.example", prompt = "login" }
  local credential = provider:getCredential()
  print(auth:signIn(credential).user.displayName)
end

--- A credential from tokens that you got yourself; otherwise getCredential.
---
--- This is `provider.credential({ idToken, rawNonce })` of the JavaScript SDK. Without tokens it shows the page, as
--- `credential(with:)` of the Apple SDK does.
---
---@param tokens _ a table of tokens from your own sign-in, or a delegate
---@param tokens.idToken _ the provider's ID token
---@param tokens.rawNonce _ what the token's nonce is the SHA-256 of
---@param tokens.accessToken _ the provider's access token
---@return Credential credential
function OAuthProvider:credential()
  local client = require("luath.oidc").client {
    issuer = emulator.origin .. "/oidc/implicit", clientID = "luath-client-oidc.implicit",
    redirectURI = "http://127.0.0.1:8910/callback",
  }
  local tokens = client:signIn(ui.form { username = "barbara@corp.example", password = "luath-demo" })
  local provider = Auth.OAuthProvider "oidc.implicit"
  local credential = provider:credential { idToken = tokens.idToken, rawNonce = tokens.rawNonce }
  print(auth:signIn(credential).user.email)
end

---@class UserProfileChangeRequest

function UserProfileChangeRequest:commitChanges()
  local request = user:createProfileChangeRequest()
  request.displayName = "Ada Lovelace"
  request:commitChanges()
  print(user.displayName)
end

---@class PhoneAuthProvider

---@param number string|MultiFactorInfo? with its country code, or a factor of err.resolver.hints
---@param options.session _ of multiFactor:getSession or of the resolver, for a second factor
---@return string verificationID
---@error invalidPhoneNumber when the number is not in international form
---@error quotaExceeded when too many messages were sent
---@error captchaCheckFailed when the project wants a better reCAPTCHA
function PhoneAuthProvider:verifyPhoneNumber()
  local provider = Auth.PhoneAuthProvider()
  local id = provider:verifyPhoneNumber "+15555550100"
  local code = emulator.verificationCodes()[1].code
  print(auth:signIn(Auth.PhoneAuthProvider.credential(id, code)).user.phoneNumber)
end

---@class MultiFactor
---@field enrolledFactors MultiFactorInfo[]

---@return MultiFactorSession session
function MultiFactor:getSession()
  local known = auth:signIn(Auth.OAuthProvider "google.com").user
  local session = known.multiFactor:getSession()
  print(Auth.TOTPMultiFactorGenerator.generateSecret(session).digits)
end

---@param assertion _ the proof of the factor
---@param displayName _ the name for its owner
---@error unverifiedEmail when the user's address is not verified
---@error invalidVerificationCode when the code is wrong
---@error secondFactorAlreadyEnrolled when the user has this factor
---@error requiresRecentLogin when the sign-in is too old
function MultiFactor:enroll()
  local known = auth:signIn(Auth.OAuthProvider "google.com").user
  local generator = Auth.TOTPMultiFactorGenerator
  local secret = generator.generateSecret(known.multiFactor:getSession())
  known.multiFactor:enroll(
    generator.assertionForEnrollment(secret, totp.code(secret)), "my app")
  print(#known.multiFactor.enrolledFactors)
end

---@param factor _ a factor of enrolledFactors, or its uid
---@error multiFactorInfoNotFound when the user has no such factor
---@error requiresRecentLogin when the sign-in is too old
function MultiFactor:unenroll()
  local known = enrolled()
  known.multiFactor:unenroll(known.multiFactor.enrolledFactors[1])
  print(#known.multiFactor.enrolledFactors)
end

---@class MultiFactorResolver
---@field hints MultiFactorInfo[]

---@param assertion _ the proof of one of the hints
---@return AuthDataResult result
---@error invalidVerificationCode when the code is wrong; it may be tried again
---@error sessionExpired when too much time has passed
function MultiFactorResolver:resolveSignIn()
  local err, secret = refused()
  local generator = Auth.TOTPMultiFactorGenerator
  local assertion = generator.assertionForSignIn(err.resolver.hints[1], totp.code(secret))
  print(err.resolver:resolveSignIn(assertion).user.email)
end

---@class TOTPSecret

---@return string url
function TOTPSecret:generateQRCodeURL()
  local known = auth:signIn(Auth.OAuthProvider "google.com").user
  local secret = Auth.TOTPMultiFactorGenerator.generateSecret(known.multiFactor:getSession())
  local app = totp.parse(secret:generateQRCodeURL(known.email, "Contoso"))
  print(app.issuer, app.account)
end

---@class User
---@field providerData UserInfo[]
---@field metadata { creationDate: integer?, lastSignInDate: integer? }

---@return AuthDataResult result
---@error credentialAlreadyInUse when it is another account's; go on with err.pendingCredential
---@error providerAlreadyLinked when this user has it
---@error emailAlreadyInUse when the address is another account's
---@error requiresRecentLogin when the sign-in is too old
function User:link()
  user:link(Auth.OAuthProvider("microsoft.com"):getCredential())
  for _, way in ipairs(user.providerData) do print(way.providerID) end
  assert(#user.providerData == 2)
end

---@return AuthDataResult result
---@error userMismatch when the proof is another person's
---@error invalidCredential when it is no proof
function User:reauthenticate()
  emulator.advance(3600)
  user:reauthenticate(Auth.EmailAuthProvider.credential("ada@contoso.example", "correct horse"))
  user:updatePassword "battery staple"
  print(user.email)
end

---@param providerID _ the way to take away, such as `yahoo.com`, `password` or `phone`
---@return User user
---@error noSuchProvider when the user has no such way
function User:unlink()
  user:link(Auth.OAuthProvider("yahoo.com"):getCredential())
  user:unlink "yahoo.com"
  print(#user.providerData)
end

---@return string token
---@error userTokenExpired when the session was ended: sign in again
---@error userDisabled when the account was disabled
function User:getIDToken()
  local token = user:getIDToken()
  print(crypto.claims(token).email)
end

---@return { token: string, claims: table<string, any>, expirationDate: integer, authDate: integer, issuedAtDate: integer, signInProvider: string?, signInSecondFactor: string? } result
---@error userTokenExpired when the session was ended: sign in again
function User:getIDTokenResult()
  local result = user:getIDTokenResult()
  print(result.signInProvider, result.expirationDate - result.issuedAtDate)
end

---@error userNotFound when the account was deleted
---@error userTokenExpired when the session was ended
function User:reload()
  require("luath.admin").admin():updateUser(user.uid, { displayName = "Ada" })
  user:reload()
  print(user.displayName)
end

---@error requiresRecentLogin when the sign-in is too old
---@error emailAlreadyInUse when the address is another account's
---@error operationNotAllowed under enumeration protection: the new address must be verified first
function User:updateEmail()
  emulator.configure { enumerationProtection = false }
  user:updateEmail "ada@lovelace.example"
  print(user.email)
  emulator.configure { enumerationProtection = true }
end

---@error requiresRecentLogin when the sign-in is too old
---@error weakPassword when the password is too short
function User:updatePassword()
  user:updatePassword "battery staple"
  print(auth:signInWithEmail("ada@contoso.example", "battery staple").user.uid == user.uid)
end

---@param changes _ what is to change
---@param changes.displayName _ the name; false clears it
---@param changes.photoURL _ the picture's address; false clears it
function User:updateProfile()
  user:updateProfile { displayName = "Ada Lovelace", photoURL = false }
  print(user.displayName)
end

---@return UserProfileChangeRequest request
function User:createProfileChangeRequest()
  local request = user:createProfileChangeRequest()
  request.displayName = "Ada Lovelace"
  request:commitChanges()
  print(user.displayName)
end

---@error requiresRecentLogin when the sign-in is too old
function User:delete()
  user:delete()
  print(auth.currentUser)
  assert(auth.currentUser == nil)
end

---@param delegate fun(request: { phoneNumber: string, verificationID: string }): string returns the code
---@return AuthDataResult result
---@error credentialAlreadyInUse when the phone number is another account's
function User:linkWithPhoneNumber()
  user:linkWithPhoneNumber("+15555550100", readMessage)
  print(user.phoneNumber)
end

---@param delegate fun(request: { phoneNumber: string, verificationID: string }): string returns the code
---@return AuthDataResult result
---@error userMismatch when the phone number is another account's
function User:reauthenticateWithPhoneNumber()
  user:linkWithPhoneNumber("+15555550100", readMessage)
  emulator.advance(3600)
  user:reauthenticateWithPhoneNumber("+15555550100", readMessage)
  user:updatePassword "battery staple"
  print(user.phoneNumber)
end

---@error invalidVerificationCode when the code is wrong
---@error credentialAlreadyInUse when the phone number is another account's
function User:updatePhoneNumber()
  user:linkWithPhoneNumber("+15555550100", readMessage)
  local id = Auth.PhoneAuthProvider():verifyPhoneNumber "+15555550101"
  local code = readMessage { phoneNumber = "+15555550101" }
  user:updatePhoneNumber(Auth.PhoneAuthProvider.credential(id, code))
  print(user.phoneNumber)
end

---@error tooManyRequests when e-mails were requested too often
function User:sendEmailVerification()
  user:sendEmailVerification { url = "http://localhost/verified" }
  auth:applyActionCode(emulator.oobCodes()[1].oobCode)
  user:reload()
  print(user.isEmailVerified)
end

---@param newEmail _ the address that is to be the user's
---@error emailAlreadyInUse when the address is another account's
---@error requiresRecentLogin when the sign-in is too old
function User:sendEmailVerificationBeforeUpdatingEmail()
  user:sendEmailVerificationBeforeUpdatingEmail "ada@lovelace.example"
  auth:applyActionCode(emulator.oobCodes()[1].oobCode)
  print(auth:signInWithEmail("ada@lovelace.example", "correct horse").user.email)
end
