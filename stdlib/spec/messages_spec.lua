-- What the emulator sends: e-mails and SMS with their texts, as scripts read them.
local Auth = require "luath.auth"
local actor = require "luath.actor"
local emulator = require "luath.emulator"
local expect = require "luath.expect"
local flows = require "support.flows"

local equal, mistake = flows.equal, flows.mistake

describe("e-mails and SMS", function()
  it("an e-mail has subject, text, HTML and language, and stays when it is used", function()
    local ada = actor.new { password = "correct horse" }
    ada:signIn()
    ada.auth.languageCode = "fr"
    ada.user:sendEmailVerification()
    local mails = emulator.mails { to = ada.email }
    equal(#mails, 1)
    expect.same(mails[1], {
      to = ada.email, email = ada.email, from = "noreply@demo-luath.firebaseapp.com",
      subject = "Verify your email for demo-luath",
      text = expect.any.string "Follow this link to verify your email address.",
      html = expect.any.string "^<p>Hello,</p>", language = "fr", requestType = "VERIFY_EMAIL",
      oobCode = expect.any.string(), oobLink = expect.any.string(),
      sentAt = expect.any.number(), isUsed = false,
    })
    assert(mails[1].text:find(mails[1].oobLink, 1, true))
    expect.same(ada:newestEmail(), mails[1])
    ada.auth:applyActionCode(mails[1].oobCode)
    equal(ada:mails()[1].isUsed, true)
    local good, err = pcall(ada.newestEmail, ada)
    assert(not good and tostring(err):find "there is no unused e%-mail", tostring(err))
  end)

  it("a change of address is in the list of the user at both addresses", function()
    local ada = actor.new { password = "correct horse" }
    ada:signIn()
    local new = "new-" .. ada.email
    ada.user:sendEmailVerificationBeforeUpdatingEmail(new)
    equal(ada:newestEmail().newEmail, new)
    equal(emulator.mails({ to = new })[1].email, ada.email)
    equal(#emulator.mails { to = ada.email }, 0)
    equal(#ada:mails(), 1)
  end)

  it("the user's own SMS are read", function()
    local bob = actor.new { phoneNumber = "+15555550123" }
    local id = Auth.PhoneAuthProvider():verifyPhoneNumber(bob.phoneNumber)
    local sms = bob:newestSMS()
    equal(sms.text, sms.code .. " is your verification code for demo-luath.")
    equal(sms.sessionInfo, id)
    bob.auth:signIn(Auth.PhoneAuthProvider.credential(id, sms.code))
    equal(bob:sms()[1].isUsed, true)
    equal(#emulator.sms { to = "+15555550124" }, 0)
    local _, err = pcall(bob.newestSMS, bob)
    assert(tostring(err):find "there is no unused SMS to %+15555550123 %(", tostring(err))
  end)

  it("wrong arguments are refused", function()
    mistake("no option", emulator.mails, { recipient = "a@b.example" })
    mistake("bad argument", emulator.mails, { to = 7 })
    mistake("bad argument", emulator.sms, "x")
    local ada = actor.new {}
    local _, err = pcall(ada.sms, ada)
    assert(tostring(err):find "has no phone number", tostring(err))
    mistake("phoneNumber", actor.new, { phoneNumber = 7 })
  end)

  it("tenants have lists of their own", function()
    local tenant = flows.tenant()
    local session = Auth.session()
    session.tenantID = tenant
    local ada = actor.new { auth = session, password = "correct horse", account = false }
    ada:createAccount():sendEmailVerification()
    equal(#emulator.mails { to = ada.email }, 0)
    equal(#emulator.mails { to = ada.email, tenantID = tenant }, 1)
    equal(ada:newestEmail().subject, "Verify your email for demo-luath")
  end)
end)
