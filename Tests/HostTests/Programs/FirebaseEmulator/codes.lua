local token = admin.admin():createCustomToken("ada", { role = "chef" })
equal(auth:signInWithCustomToken(token).user:getIDTokenResult().claims.role, "chef")
local phone = Auth.PhoneAuthProvider()
local id = phone:verifyPhoneNumber "+15555550100"
auth:signIn(Auth.PhoneAuthProvider.credential(id, emulator.verificationCodes()[1].code))
equal(#emulator.oobCodes { tenantID = "t" }, 0)
emulator.clear()
