-- Checks of what luath gives: users, errors, tokens, letters that come later.
local Auth = require "luath.auth"
local expect = require "luath.expect"
local failed = require "expect.failed"
local task = require "luath.task"

local auth = Auth.auth()
local password = require("luath.crypto").random()
local user = auth:createUser("ada@contoso.example", password).user

expect.isType(user, "User")
expect.matches(user, {
  uid = expect.any.uid,
  email = expect.any.email "contoso.example",
  isAnonymous = false,
  phoneNumber = expect.any.absent,
})
expect.matches({ user = user }, { user = expect.any.object "User" })
expect.equal(auth.currentUser, user)
expect.matches(user:getIDToken(), expect.any.jwt { sub = user.uid, email = "ada@contoso.example" })
expect.contains(user.providerData[1].providerID, "password")

local raised = failed(expect.matches, user, { email = "bob@contoso.example", nothing = 1 })
assert(raised.message == '.email differs: expected "bob@contoso.example", got "ada@contoso.example"')
raised = failed(expect.same, user, {})
assert(raised.actual:find "^User%(", raised.actual)

local wrong = Auth.EmailAuthProvider.credential("ada@contoso.example", "not it at all")
local err = expect.raises("invalidCredential", auth.signIn, auth, wrong)
expect.matches(err, { code = Auth.ErrorCode.invalidCredential, message = expect.any.string })
raised = failed(expect.raises, "userDisabled", auth.signIn, auth, wrong)
assert(raised.message:find("got the error invalidCredential", 1, true), raised.message)
assert(not tostring(raised):find("not it at all", 1, true))

task.spawn(function()
  task.sleep(0.02)
  user:updateProfile { displayName = "Ada" }
end)
expect.eventually(function()
  user:reload()
  expect.equal(user.displayName, "Ada")
end, { interval = 0.005 })
