--- The account merge as one call, also if the project lists no sign-in methods of an address.
---
---     local merge = require "luath.merge"
---     local result = merge.signIn(auth, microsoft, { prove = merge.password(askForPassword) })
---     print(result.user.uid, "now signs in by", table.concat(result.providers, ", "))
local merge = {}

local Auth <const> = require "luath.auth"
local kinds <const> = require "luath.expect.kinds"
local luath <const> = require "luath"
local policies <const> = require "luath.merge.policies"
local ways <const> = require "luath.merge.ways"
local code <const> = Auth.ErrorCode
local refuse <const> = require("luath.expect.failure").refuse

--- What speaks against this proof only: the owner may try again, or another way.
local AGAIN <const> = {
  [code.invalidCredential] = true,
  [code.wrongPassword] = true,
  [code.missingPassword] = true,
  [code.userNotFound] = true,
  [code.operationNotAllowed] = true,
  [code.accountExistsWithDifferentCredential] = true,
  [code.invalidActionCode] = true,
  [code.expiredActionCode] = true,
  [code.invalidCustomToken] = true,
  [code.missingOrInvalidNonce] = true,
  [code.webContextCancelled] = true,
  [code.webContextTimedOut] = true,
  [code.webSignInUserInteractionFailure] = true,
  [code.webConsentDenied] = true,
  [code.webCredentialsRefused] = true,
}

--- What says that a pending credential was used before, is too old, or is linked by now.
---
--- Signing in with the provider again shows which.
local SPENT <const> = {
  [code.invalidCredential] = true,
  [code.credentialAlreadyInUse] = true,
  [code.providerAlreadyLinked] = true,
}

local OPTIONS <const> = {
  prove = "function",
  resolve = "function",
  renew = "function or OAuthProvider",
  migrate = "function",
  delegate = "function or UIDelegate",
  attempts = "integer",
  email = "string",
  upgrade = "boolean",
  deleteAnonymous = "boolean",
}

--- What a policy proves an account with, in words.
local PROOFS <const> = "a credential, a provider or { email, password }"

local function mistake(position, words, ...)
  refuse("bad argument #%d to 'signIn' (%s)", position, words:format(...))
end

--- Refuses wrong arguments as the host's own functions do.
local function check(auth, proof, options)
  local function expected(words, value)
    return words .. " expected, got " .. type(value)
  end
  if not kinds.fit("Auth", auth) then
    mistake(1, "%s", expected("Auth", auth))
  elseif not kinds.fit("Credential OAuthProvider table", proof) then
    mistake(2, "%s", expected("Credential or OAuthProvider or table of options", proof))
  elseif type(options) ~= "table" then
    mistake(3, "%s", expected("table of options", options))
  end
  for name, value in pairs(options) do
    local allowed = OPTIONS[name]
    if allowed == nil then
      mistake(3, "no option '%s'", name)
    elseif not kinds.fit(allowed, value) then
      mistake(3, "option '%s': %s", name, expected(allowed, value))
    end
  end
  if options.attempts and options.attempts < 1 then
    mistake(3, "option 'attempts': at least 1 expected")
  end
end

--- Raises an error with further fields, at the place of the error that led to it.
local function raise(err, from, fields)
  local raised = {}
  for name, value in pairs(err) do
    raised[name] = value
  end
  raised.where, raised.traceback, raised.call = from.where, from.traceback, from.call
  for name, value in pairs(fields) do
    raised[name] = value
  end
  error(setmetatable(raised, getmetatable(err)), 0)
end

--- What a script needs to go on with a conflict: the pending credential is still good.
local function remaining(err)
  return {
    email = err.email,
    pendingCredential = err.pendingCredential,
    verifiedProviders = err.verifiedProviders,
    conflict = err,
  }
end

--- Raises that somebody else answered than the owner of the conflict's address.
local function raiseMismatch(err, other, words, hint)
  local fields = remaining(err)
  fields.details = { expected = err.email, email = other.email, uid = other.uid }
  raise(Auth.createError(code.userMismatch, words:format(err.email), hint), err, fields)
end

--- Signs in, and finishes with the second factor where there is one and `resolve` is given.
local function signIn(auth, proof, delegate, options)
  if not kinds.fit("OAuthProvider", proof) then
    delegate = nil -- only a provider has a page to show
  end
  local result, err = luath.try(auth.signIn, auth, proof, delegate)
  if result or not options.resolve or err.code ~= code.secondFactorRequired then
    return result, err
  end
  return options.resolve(err), err
end

--- A session beside the script's: whoever is signed in there stays so until all is done.
---
--- It makes no accounts, so that a stranger who proves something gets none for it.
local function sessionBeside(auth)
  local session <const> = auth:session()
  session.createsAccounts = false
  return session
end

--- Lets the owner prove the existing account; gives the owner and the number of tries.
local function prove(auth, err, methods, options)
  if options.prove == nil then
    error(err, 0)
  end
  local session <const> = sessionBeside(auth)
  local conflict <const> = {
    email = err.email,
    providerID = err.pendingCredential and err.pendingCredential.providerID,
    verifiedProviders = err.verifiedProviders,
    methods = #methods > 0 and methods or nil,
    error = err,
    auth = session,
  }
  for attempt = 1, options.attempts or 3 do
    conflict.attempt = attempt
    local proof, delegate = options.prove(conflict)
    if proof == nil then
      break
    elseif not kinds.fit("Credential OAuthProvider table", proof) then
      refuse("options.prove returned a %s; let it return %s", type(proof), PROOFS)
    end
    local result, failure = signIn(session, proof, delegate or options.delegate, options)
    if result then
      return result.user, attempt
    end
    conflict.failure = failure
    if type(failure) ~= "table" then
      error(failure, 0)
    elseif not AGAIN[failure.code] then
      break
    end
  end
  if conflict.failure then
    raise(conflict.failure, conflict.failure, remaining(err))
  end
  raise(err, err, {
    message = ("no owner of the existing account of %s was proved"):format(err.email),
    hint = "let options.prove return " .. PROOFS,
  })
end

--- Makes sure that the account that was proved is the one the conflict is about.
local function checkOwner(owner, err)
  local uid <const> = (err.details or {}).localId
  if ways.same(owner.email, err.email) and (uid == nil or uid == owner.uid) then
    return
  end
  raiseMismatch(err, owner,
    "the proof belongs to another account than that of %s, so nothing was linked",
    "let the owner of that address sign in; the current user has not changed")
end

--- What the provider's flow can be run again with.
local function again(err, proof, options)
  local way = options.renew or (kinds.fit("OAuthProvider", proof) and proof or nil)
  if type(way) == "function" then
    return way(err)
  end
  return way
end

--- Runs the provider's flow again for a new pending credential; nil when it is linked by now.
local function renew(auth, owner, err, way, options)
  local result, reason = signIn(sessionBeside(auth), way, options.delegate, options)
  if result and result.user.uid == owner.uid then
    return nil
  elseif result then
    raiseMismatch(err, result.user,
      "the identity belongs to another account than that of %s, so nothing was linked",
      "sign in to that account by auth:signIn, or unlink the identity there first")
  elseif type(reason) ~= "table" or reason.code ~= code.accountExistsWithDifferentCredential then
    error(reason, 0)
  elseif not ways.same(reason.email, err.email) then
    raiseMismatch(err, { email = reason.email },
      "the owner of another address than %s signed in at the provider, so nothing was linked",
      "let the user who began sign in at the provider again")
  end
  return reason.pendingCredential
end

--- Links the pending credential to its owner; gives the link's result, and whether it was renewed.
local function link(auth, owner, err, proof, options)
  local result, reason
  if err.pendingCredential then
    result, reason = luath.try(owner.link, owner, err.pendingCredential)
    if result then
      return result, false
    elseif type(reason) ~= "table" then
      error(reason, 0)
    elseif not SPENT[reason.code] then
      raise(reason, err, { email = err.email, conflict = err })
    end
  end
  local way <const> = again(err, proof, options)
  if way == nil then
    local isSpent <const> = reason == nil or reason.code == code.invalidCredential
    raise(reason or err, err, {
      hint = isSpent and "pass the provider itself to merge.signIn, or options.renew" or nil,
      email = err.email,
      conflict = err,
    })
  end
  local fresh <const> = renew(auth, owner, err, way, options)
  return fresh and owner:link(fresh) or {}, true
end

--- Solves a conflict: the proof, the check whose account it is, and the link.
local function solve(auth, err, proof, options)
  if not err.email then
    error(err, 0) -- nobody can tell whose account it is
  end
  local methods <const> = auth:fetchSignInMethods(err.email)
  local told <const> = ways.told(methods)
  local owner, attempts = prove(auth, err, methods, options)
  checkOwner(owner, err)
  local before <const> = told or ways.put(ways.of(owner), err.verifiedProviders)
  local linked, renewed = link(auth, owner, err, proof, options)
  local result <const> = ways.report(linked, owner, before, told)
  result.merged, result.renewed, result.attempts = true, renewed, attempts
  result.conflict = err
  return result
end

--- Makes the user of a session beside the current one of the script's.
local function adopt(auth, result)
  auth:updateCurrentUser(result.user)
  result.user = auth.currentUser
end

--- Signs in to the account that a credential belongs to already.
local function switch(auth, err, proof, options)
  local session <const> = sessionBeside(auth)
  local result, reason = signIn(session, err.pendingCredential or proof, nil, options)
  local way = again(err, proof, options)
  if not result and type(reason) == "table" and SPENT[reason.code] and way then
    result, reason = signIn(session, way, options.delegate, options)
  end
  if not result then
    error(reason, 0)
  end
  return ways.report(result, result.user, ways.of(result.user))
end

--- Keeps the uid of an anonymous user by linking, or goes over to the account there is already.
local function upgrade(auth, anonymous, proof, options)
  if type(proof) == "table" then
    proof = ways.credential(proof)
  end
  local isProvider <const> = kinds.fit("OAuthProvider", proof)
  local delegate <const> = isProvider and options.delegate or nil
  local linked, err = luath.try(anonymous.link, anonymous, proof, delegate)
  if linked then
    return ways.report(linked, anonymous, {})
  elseif type(err) ~= "table" then
    error(err, 0)
  end
  local result
  local isPassword <const> = not isProvider and proof.providerID == Auth.EmailAuthProvider.id
  local isTaken <const> = err.code == code.emailAlreadyInUse
  if err.code == code.credentialAlreadyInUse or (isTaken and isPassword) then
    result = switch(auth, err, proof, options)
  elseif isTaken or err.code == code.accountExistsWithDifferentCredential then
    result = solve(auth, err, proof, options)
  else
    error(err, 0)
  end
  if options.migrate then
    options.migrate(anonymous, result.user)
  end
  adopt(auth, result)
  result.anonymous = { uid = anonymous.uid, deleted = false }
  if options.deleteAnonymous then
    -- An old anonymous session may not delete itself, and that shall not hide what was done.
    local deleted, reason = pcall(anonymous.delete, anonymous)
    result.anonymous.deleted, result.anonymous.error = deleted, not deleted and reason or nil
  end
  return result
end

--- Signs in, and merges when the address has an account already.
---
--- Until the existing account is proved and linked, the current user stays signed in.
---
---@param auth Auth
---@param proof Credential|OAuthProvider|table what auth:signIn takes
---@param options? table
---@return table
function merge.signIn(auth, proof, options)
  options = options == nil and {} or options
  check(auth, proof, options)
  local previous <const> = auth.currentUser
  if options.upgrade and previous and previous.isAnonymous then
    return upgrade(auth, previous, proof, options)
  end
  local known <const> = previous and ways.of(previous)
  local told <const> = options.email and ways.told(auth:fetchSignInMethods(options.email)) or nil
  local result, err = signIn(auth, proof, options.delegate, options)
  if not result then
    if type(err) ~= "table" or err.code ~= code.accountExistsWithDifferentCredential then
      error(err, 0)
    end
    local solved <const> = solve(auth, err, proof, options)
    adopt(auth, solved)
    return solved
  end
  local user <const>, info <const> = result.user, result.additionalUserInfo
  local before = told
  if info and info.isNewUser then
    before = {}
  elseif previous and previous.uid == user.uid then
    before = known
  end
  return ways.report(result, user, before or ways.of(user), told)
end

merge.password = policies.password
merge.providers = policies.providers
merge.emailLink = policies.emailLink
merge.firstOf = policies.firstOf

return entries(merge)
