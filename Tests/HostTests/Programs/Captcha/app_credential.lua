-- The project requires a proof of a person before it sends an SMS.
local phone = Auth.PhoneAuthProvider()
local function read(request)
  return flows.sms(request.phoneNumber)
end
local err = refused("missingClientIdentifier", phone.verifyPhoneNumber, phone, "+15555550101")
equal(err.rawValue, 17093)
assert(err.hint:find("recaptchaToken", 1, true), err.hint)
phone:verifyPhoneNumber("+15555550101", { recaptchaToken = "an answer" })
auth:signInWithPhoneNumber("+15555550102", read, { recaptchaToken = "an answer" })
flows.configure("recaptchaConfig", { recaptchaConfig = { phoneEnforcementState = "ENFORCE" } })
local options = { recaptchaToken = "an answer" }
refused("missingRecaptchaToken", phone.verifyPhoneNumber, phone, "+15555550103", options)
auth.recaptchaToken = "NO_RECAPTCHA"
refused("invalidRecaptchaToken", phone.verifyPhoneNumber, phone, "+15555550103")
equal(auth.recaptchaToken, nil)
auth.recaptchaToken = "a token"
phone:verifyPhoneNumber "+15555550103"
