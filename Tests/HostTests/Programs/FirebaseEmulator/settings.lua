local lacks = require "FirebaseEmulator.lacks"
emulator.configure { enumerationProtection = true, oneAccountPerEmail = false }
local function settings()
  return http.get(emulator.origin .. "/emulator/v1/projects/" .. host.projectID .. "/config"):json()
end
emulator.configure {}
for _, own in ipairs { { identityPlatform = true }, { providers = { ["yahoo.com"] = false } } } do
  own.enumerationProtection = false
  lacks("settings of providers and of Identity Platform", emulator.configure, own)
end
equal(settings().emailPrivacyConfig.enableImprovedEmailPrivacy, true)
equal(settings().signIn.allowDuplicateEmails, true)
