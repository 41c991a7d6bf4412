-- The e-mails and SMS that an emulator has sent to a user: methods of the users of `luath.actor`.
local refuse <const> = require("luath.expect.failure").refuse

---@class Actor
local Actor <const> = {}

--- The options of the emulator's lists for the session's tenant.
local function place(self, to)
  return { tenantID = self.auth.tenantID, to = to }
end

--- Whether an e-mail is about this user's account, at its old or at its new address.
local function concerns(self, mail)
  return mail.email == self.email or mail.newEmail == self.email
end

--- The e-mails that the emulator has sent to this user, oldest first.
---
--- Those about a change of the address are among them, whichever of the two addresses they went to.
---
---@return table[] mails as of `emulator.mails`
function Actor:mails()
  local found = {}
  for _, mail in ipairs(require("luath.emulator").mails(place(self))) do
    if concerns(self, mail) then
      found[#found + 1] = mail
    end
  end
  return found
end

--- The newest unused e-mail to this person, on an emulator.
---
---@return table email `email`, `requestType`, `oobCode`, `oobLink`, and `newEmail` for a change of
--- address; with luath's emulator also its texts, as of `emulator.mails`
function Actor:newestEmail()
  local emulator = require "luath.emulator"
  local codes = emulator.oobCodes(place(self))
  local newest
  for index = #codes, 1, -1 do
    if concerns(self, codes[index]) then
      newest = codes[index]
      break
    end
  end
  if not newest then
    refuse("there is no unused e-mail to %s", self.email)
  end
  -- Firebase's emulator has no texts, and a link that an administrator asked for was not sent.
  if emulator.kind() == "luath" then
    for _, mail in ipairs(emulator.mails(place(self))) do
      if mail.oobCode == newest.oobCode then
        return mail
      end
    end
  end
  return newest
end

local function phoneNumber(self, number)
  local user = self.auth.currentUser
  number = number or self.phoneNumber or user and user.phoneNumber
  if type(number) ~= "string" then
    refuse("%s has no phone number; pass one, or set phoneNumber of the user", self.email)
  end
  return number
end

--- The SMS that the emulator has sent to this user, oldest first.
---
---@param number? string `phoneNumber` of the user when not given, or that of the account
---@return table[] sms as of `emulator.sms`; without texts on Firebase's emulator
function Actor:sms(number)
  number = phoneNumber(self, number)
  local emulator = require "luath.emulator"
  if emulator.kind() ~= "firebase" then
    return emulator.sms(place(self, number))
  end
  local found = {}
  for _, sms in ipairs(emulator.verificationCodes(place(self))) do
    if sms.phoneNumber == number then
      found[#found + 1] = sms
    end
  end
  return found
end

--- The newest unused SMS to this user, on an emulator.
---
---@param number? string as of `actor:sms`
---@return table sms `phoneNumber`, `code`, `sessionInfo`; with luath's emulator also `text`
function Actor:newestSMS(number)
  local list = self:sms(number)
  for index = #list, 1, -1 do
    if not list[index].isUsed then
      return list[index]
    end
  end
  refuse("there is no unused SMS to %s (%s)", phoneNumber(self, number), self.email)
end

return Actor
