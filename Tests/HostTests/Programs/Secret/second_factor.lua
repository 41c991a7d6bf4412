-- Signs in with an SMS code, and fails with the code 654321.
local google = provider("google.com", "ada@contoso.example")
flows.telephone(auth:signIn(google).user, "+15555550101")
local resolver = refused("secondFactorRequired", auth.signIn, auth, google).resolver
local options = { hint = resolver.hints[1], session = resolver.session }
local id = Auth.PhoneAuthProvider():verifyPhoneNumber(nil, options)
local function resolve(code)
  local credential = Auth.PhoneAuthProvider.credential(id, code)
  return resolver:resolveSignIn(Auth.PhoneMultiFactorGenerator.assertion(credential))
end
refused("invalidVerificationCode", resolve, "654321")
flows.answer { secrets = { "654321", "555555", id, flows.sms "+15555550101" } }
