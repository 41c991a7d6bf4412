local emulator = require "luath.emulator"
local Auth = require "luath.auth"
local auth = Auth.auth()

--- Every call raises `notEmulated` when the run's target is a real project, `notImplemented` when it is
--- Firebase's emulator and that has no such feature, and `emulatorRefused` when the emulator does not
--- take what it was sent.
---
---@field origin? string where the emulator listens, such as `http://127.0.0.1:41234`; nil on a real project

---@param settings.enumerationProtection _ whether nobody can ask which ways an address signs in
---@param settings.oneAccountPerEmail _ whether an address has one account at most
---@param settings.identityPlatform _ whether the project is upgraded to Identity Platform
---@error notImplemented when the emulator is Firebase's and a setting is neither of the first two
---@error emulatorRefused when a setting is unknown to the emulator
function emulator.configure()
  emulator.configure { enumerationProtection = false, providers = { ["yahoo.com"] = false } }
  auth:createUser("ada@contoso.example", "correct horse")
  print(table.concat(auth:fetchProviders("ada@contoso.example"), ", "))
  emulator.configure { enumerationProtection = true, providers = { ["yahoo.com"] = true } }
end

---@param seconds _ how far, in seconds; at most a century
function emulator.advance()
  local user = auth:createUser("ada@contoso.example", "correct horse").user
  emulator.advance(600)
  local good, err = pcall(user.updatePassword, user, "battery staple")
  print(good, err.code)
  assert(err.code == Auth.ErrorCode.requiresRecentLogin)
end

---@param time integer|string seconds since 1970, or text such as 2026-01-31T12:00:00Z
---@error emulatorRefused when the time cannot be read
function emulator.setClock()
  emulator.setClock "2030-01-31T12:00:00Z"
  local user = auth:signInAnonymously().user
  print(os.date("!%Y", user.metadata.creationDate // 1000))
  emulator.setClock(os.time())
end

--- `luath doc emulator#faults` lists the keys of a fault; an empty list ends all faults.
---
---@param faults table[] such as `{ operation = "signUp", error = "503", rate = 0.1 }`
---@param seed _ makes the chances repeat; 0 when not given
---@error emulatorRefused when the emulator has no such fault or operation
function emulator.setFaults()
  emulator.setFaults { { operation = "signUp", error = "QUOTA_EXCEEDED", count = 1 } }
  local good, err = pcall(auth.signInAnonymously, auth)
  print(good, err.code)
  assert(auth:signInAnonymously().user)
  emulator.setFaults {}
end

---@return table[] faults each as it was set, with `seen` and `struck`
function emulator.listFaults()
  emulator.setFaults { { operation = "signUp", latency = 1 } }
  auth:signInAnonymously()
  for _, fault in ipairs(emulator.listFaults()) do
    print(fault.operation, fault.struck)
  end
  emulator.setFaults {}
end

---@return { email: string, newEmail: string?, requestType: string, oobCode: string, oobLink: string }[] emails `newEmail` is the address that a change of address leads to
function emulator.oobCodes()
  auth:createUser("ada@contoso.example", "correct horse").user:sendEmailVerification()
  local letter = emulator.oobCodes()[1]
  print(letter.email, letter.requestType)
  auth:applyActionCode(letter.oobCode)
end

---@return { phoneNumber: string, code: string, sessionInfo: string }[] messages
function emulator.verificationCodes()
  local id = Auth.PhoneAuthProvider():verifyPhoneNumber("+15555550100")
  local message = emulator.verificationCodes()[1]
  print(message.phoneNumber)
  auth:signIn(Auth.PhoneAuthProvider.credential(id, message.code))
end

--- Used e-mails stay in the list; it has the last 1,000. Texts come from the templates in the project's
--- settings (`notification.sendEmail`), in English unless the project has its own.
---
---@param options.to? string only those to this address
---@return { to: string, from: string, senderDisplayName: string?, replyTo: string?, subject: string, text: string, html: string?, language: string, email: string, newEmail: string?, requestType: string, oobCode: string, oobLink: string, sentAt: integer, isUsed: boolean }[] mails `language` is the one that the request asked for, `newEmail` the address that a change of address leads to, `sentAt` in seconds since 1970; `senderDisplayName` and `replyTo` are those of the template, if it has them
---@error notImplemented when the emulator is Firebase's
function emulator.mails()
  auth:createUser("ada@contoso.example", "correct horse").user:sendEmailVerification()
  local mail = emulator.mails({ to = "ada@contoso.example" })[1]
  print(mail.subject)
  assert(mail.text:find(mail.oobLink, 1, true) and not mail.isUsed)
end

--- Used SMS stay in the list; it has the last 1,000.
---
---@param options.to? string only those to this number
---@return { phoneNumber: string, text: string, language: string, code: string, sessionInfo: string, sentAt: integer, isUsed: boolean }[] sms `sentAt` in seconds since 1970
---@error notImplemented when the emulator is Firebase's
function emulator.sms()
  Auth.PhoneAuthProvider():verifyPhoneNumber("+15555550100")
  local sms = emulator.sms({ to = "+15555550100" })[1]
  assert(sms.text:find(sms.code, 1, true))
end

function emulator.clear()
  auth:createUser("ada@contoso.example", "correct horse")
  emulator.clear()
  auth:createUser("ada@contoso.example", "correct horse")
end

---@return { client_email: string, private_key: string, private_key_id: string } key as a service account's JSON key has it
function emulator.serviceAccount()
  local token = require("luath.admin").customToken(emulator.serviceAccount(), "ada")
  print(auth:signInWithCustomToken(token).user.uid)
end

---@return string? kind `luath` or `firebase`; nil when the program is neither
function emulator.kind()
  if emulator.kind() == "luath" then
    emulator.advance(600)
  end
  assert(auth:signInAnonymously().user)
end

---@return table[] people each with `email`, `name` and the data that providers send
function emulator.people()
  for _, person in ipairs(emulator.people()) do
    print(person.email, person.name)
  end
end
