--- Users with accounts at the identity providers, each with a session of its own.
---
---     local actor = require "luath.actor"
---     local ada <close> = actor.new { email = "ada@luath.example", password = "correct horse" }
---     ada:signIn()                     -- by her password
---     ada:link "microsoft.com"         -- on Microsoft's page, which she fills in
---     print(ada.user.uid)
---
--- In journeys, `j.users` makes them and cleans up after them.
local actor = {}

local Auth <const> = require "luath.auth"
local crypto <const> = require "luath.crypto"
local host <const> = require "luath.host"
local http <const> = require "luath.http"
local luath <const> = require "luath"
local ui <const> = require "luath.ui"
local refuse <const> = require("luath.expect.failure").refuse

--- A user who signs in, with a session of its own.
---@class Actor
---@field email string
---@field password? string of the account and, for people made here, at the providers
---@field auth Auth their session: nobody else's sign-in changes it
---@field user? User the signed-in user of `auth`
---@field phoneNumber? string for SMS
local Actor <const> = { __name = "Actor" }

local FIELDS <const> = {
  email = "string", password = "string", name = "string", photo = "string",
  emailVerified = "boolean", providers = "table", microsoft = "table", yahoo = "table",
  google = "table", oidc = "table", account = "boolean", auth = "userdata", target = "string",
  providerPassword = "string", phoneNumber = "string",
}

--- What a person at the identity providers has of the fields above, besides address and password.
local AT_PROVIDERS <const> = {
  "name", "photo", "emailVerified", "providers", "microsoft", "yahoo", "google", "oidc",
}

--- The options of a provider's page.
local PAGE_OPTIONS <const> = {
  scopes = "table", customParameters = "table", answers = "table",
  delegate = "userdata or function or table",
}

--- Refuses fields that are unknown or of another type.
local function check(what, fields, known)
  for key, value in pairs(fields) do
    local kinds = known[key]
    if not kinds then
      refuse("%s", require("luath.expect.words").unknown(what, key, known))
    elseif not kinds:find(type(value), 1, true) then
      refuse("%s '%s': %s expected, got %s", what, key, kinds, type(value))
    end
  end
end

local function checkPerson(options)
  if type(options) ~= "table" then
    refuse("bad argument #1 to 'new' (a table expected, got %s)", type(options))
  end
  check("field of a user", options, FIELDS)
end

--- What only a test user of the identity providers needs.
local OF_PROVIDERS <const> = {
  "providers", "microsoft", "yahoo", "google", "oidc", "providerPassword",
}

--- An address that no other person of this run or of another has.
local function address()
  local unique = crypto.random(16):gsub("[^%w]", ""):lower():sub(1, 16)
  return ("person-%s@luath.example"):format(unique)
end

--- Adds a test user to the emulated providers; false when they have one with this address, and when
--- the emulator has no test users at all.
local function introduce(person, options)
  local emulator = require "luath.emulator"
  local answer = http.post(emulator.origin .. "/emulator/v1/people", {
    bearer = "owner", json = person,
  })
  if answer.ok then
    return true
  elseif answer.status == 404 and emulator.kind() == "firebase" then
    for _, key in ipairs(OF_PROVIDERS) do
      if options[key] ~= nil then
        emulator.people() -- raises the error that says so
      end
    end
    return false
  end
  local good, body = pcall(answer.json, answer)
  local message = good and type(body.error) == "table" and body.error.message or ""
  if message:find("already has the address", 1, true) then
    return false
  end
  refuse("the providers refuse the user: %s",
    message ~= "" and message or "status " .. answer.status)
end

--- Has the emulated providers forget a person.
local function forget(email)
  local origin = require("luath.emulator").origin
  local answer = http.request("DELETE", origin .. "/emulator/v1/people", {
    bearer = "owner", query = { email = email },
  })
  if not answer.ok then
    refuse("the providers do not forget %s: status %d", email, answer.status)
  end
end

--- A person with these fields, and the session that the options name or one of their own.
local function make(fields, options)
  fields.accounts = {}
  fields.auth = options.auth
    or Auth.session(options.target and { target = options.target } or nil)
  return setmetatable(fields, Actor)
end

--- Makes a person: at the emulated providers, and with `password` an account of the project.
---
--- On a real project there are no providers to make people at: the account is made with the
--- password, and `actor:cleanUp()` deletes it.
---
---@param options? table `email`, `password`, `name`, `photo`, `emailVerified`, `providers`,
--- `microsoft`, `yahoo`, `google`, `oidc` (as under `people` in the project file),
--- `providerPassword`, `phoneNumber`, `account` (false: no account, although there is a
--- password), `target`
---@return Actor
function actor.new(options)
  options = options or {}
  checkPerson(options)
  local self = make({
    email = options.email or address(), name = options.name,
    password = options.password or crypto.random(),
    providerPassword = options.providerPassword, phoneNumber = options.phoneNumber,
  }, options)
  if host.isEmulated and not options.target then
    local person = { email = self.email, password = self.providerPassword or self.password }
    for _, key in ipairs(AT_PROVIDERS) do
      person[key] = options[key]
    end
    if introduce(person, options) then
      self.providerPassword, self.isIntroduced = person.password, true
    end
  end
  if options.account or options.password and options.account == nil then
    self:createAccount()
    self.auth:signOut()
  end
  return self
end

--- A test user of the project file, whom the providers already have.
---
---@param email string
---@param options? table `password` (not needed on an emulator inside luath), `providerPassword`
--- when that is another one, `phoneNumber`, `auth`, `target`
---@return Actor
function actor.get(email, options)
  options = options or {}
  if type(email) ~= "string" then
    refuse("bad argument #1 to 'get' (an e-mail address expected, got %s)", type(email))
  end
  checkPerson(options)
  return make({
    email = email, password = options.password,
    providerPassword = options.providerPassword or options.password,
    phoneNumber = options.phoneNumber,
  }, options)
end

--- What shows a provider's page to this person: their answers to its forms.
---
--- Nil stands for the target's default, for users of the project file whose password is not given:
--- with the built-in emulator, the test user of `login_hint` signs in.
---
---@param more? table further answers, as of `ui.form`: `consent`, `fields`, …
---@return UIDelegate?
function Actor:delegate(more)
  if not self.providerPassword then
    if more then
      refuse("signing in %s at a provider needs its password there: providerPassword", self.email)
    end
    return nil
  end
  local answers = { username = self.email, password = self.providerPassword }
  for key, value in pairs(more or {}) do
    answers[key] = value
  end
  return ui.form(answers)
end

--- A provider whose page is shown to this person.
---
---@param id string
---@param options? table `scopes`, `customParameters`
---@return OAuthProvider
function Actor:provider(id, options)
  if type(id) ~= "string" then
    refuse("a provider's id such as \"microsoft.com\" expected, got %s", type(id))
  elseif options ~= nil and type(options) ~= "table" then
    refuse("options of %s: a table expected, got %s", tostring(id), type(options))
  end
  check("option of a provider's page", options or {}, PAGE_OPTIONS)
  local made = Auth.OAuthProvider(id, self.auth)
  local parameters = { login_hint = self.email }
  for key, value in pairs(options and options.customParameters or {}) do
    parameters[key] = value
  end
  made.customParameters = parameters
  if options and options.scopes then
    made.scopes = options.scopes
  end
  return made
end

--- Shows a provider's page to this person; returns the credential.
---
---@param id string
---@param options? table `scopes`, `customParameters`, `delegate`, or `answers` of `actor:delegate`
---@return Credential
function Actor:credential(id, options)
  local provider = self:provider(id, options)
  local delegate = options and options.delegate
  if delegate == nil then
    delegate = self:delegate(options and options.answers)
  end
  return provider:getCredential(delegate)
end

--- Makes the person's account, with e-mail and password, and signs in.
---
---@return User
function Actor:createAccount()
  -- Noted before the call: when its answer is lost, the account may be there all the same.
  local made = { email = self.email, password = self.password }
  self.accounts[#self.accounts + 1] = made
  made.user = self.auth:createUser(self.email, self.password).user
  return made.user
end

--- Signs in: by a provider, or without one by e-mail and password.
---
---@param id? string
---@param options? table as of `credential`
---@return table result of `auth:signIn`
function Actor:signIn(id, options)
  if id then
    local result = self.auth:signIn(self:credential(id, options))
    if result.additionalUserInfo and result.additionalUserInfo.isNewUser then
      table.insert(self.accounts, { email = self.email, user = result.user, provider = id })
    end
    return result
  end
  return self.auth:signIn { email = self.email, password = self.password }
end

--- Signs in; returns nil and the error when that fails.
function Actor:trySignIn(id, options)
  return luath.try(self.signIn, self, id, options)
end

--- Links a provider to the signed-in user.
---
---@param id string
---@param options? table as of `credential`
---@return table result of `user:link`
function Actor:link(id, options)
  return self:signedIn():link(self:credential(id, options))
end

--- Reauthenticates: with a provider, or without one with the password.
---
---@param id? string
---@param options? table as of `credential`
function Actor:reauthenticate(id, options)
  local proof = id and self:credential(id, options)
    or Auth.EmailAuthProvider.credential(self.email, self.password)
  return self:signedIn():reauthenticate(proof)
end

--- The signed-in user; raises when nobody is signed in.
---
---@return User
function Actor:signedIn()
  local user = self.auth.currentUser
  if not user then
    refuse("%s is not signed in", self.email)
  end
  return user
end

--- Ends the session; the account stays.
function Actor:signOut()
  self.auth:signOut()
end

--- The provider ids of the signed-in user's sign-in methods, in alphabetical order.
---
---@return string[]
function Actor:signInMethods()
  local ids = {}
  for index, info in ipairs(self:signedIn().providerData) do
    ids[index] = info.providerID
  end
  table.sort(ids)
  return ids
end

for name, method in pairs(require "luath.actor.messages") do
  Actor[name] = method
end

-- The names before 0.2.0.
Actor.ways, Actor.letter = Actor.signInMethods, Actor.newestEmail

--- What says that an account is not there, or never was.
local GONE <const> = {
  userNotFound = true, userTokenExpired = true, nullUser = true, invalidCredential = true,
  wrongPassword = true,
}

--- Deletes an account that a call made, or may have made.
local function delete(self, made)
  local proof = made.password and Auth.EmailAuthProvider.credential(made.email, made.password)
  local user = made.user
  if not user then
    local session = Auth.session()
    session.createsAccounts = false
    user = session:signIn(proof).user
  end
  local good, err = pcall(user.delete, user)
  if not good and err.code == Auth.ErrorCode.requiresRecentLogin then
    user:reauthenticate(proof or self:credential(made.provider))
    user:delete()
  elseif not good then
    error(err, 0)
  end
end

--- Deletes the accounts that this person made here, and who was made at emulated providers.
---
--- What was deleted already is no matter.
function Actor:cleanUp()
  local first
  while #self.accounts > 0 do
    local good, err = pcall(delete, self, table.remove(self.accounts))
    local isGone = good or type(err) == "table" and GONE[err.code]
    first = first or not isGone and err or nil
  end
  if self.isIntroduced then
    self.isIntroduced = nil
    local good, err = pcall(forget, self.email)
    first = first or not good and err or nil
  end
  if first ~= nil then
    error(first, 0)
  end
end

entries(Actor)

function Actor:__close()
  if not host.isEmulated then
    self:cleanUp()
  end
end

function Actor:__tostring()
  return ("person <%s>"):format(self.email)
end

function Actor.__index(self, key)
  if key == "user" then
    return self.auth.currentUser
  end
  return Actor[key]
end

return setmetatable(entries(actor), {
  __call = entry(function(_, options)
    if type(options) == "string" then
      return actor.get(options)
    end
    return actor.new(options)
  end),
})
