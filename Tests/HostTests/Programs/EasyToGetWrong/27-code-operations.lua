for wire, operation in pairs {
  PASSWORD_RESET = "passwordReset", resetPassword = "passwordReset",
  VERIFY_EMAIL = "verifyEmail", verifyEmail = "verifyEmail",
  RECOVER_EMAIL = "recoverEmail", recoverEmail = "recoverEmail",
  VERIFY_AND_CHANGE_EMAIL = "verifyAndChangeEmail", verifyAndChangeEmail = "verifyAndChangeEmail",
  REVERT_SECOND_FACTOR_ADDITION = "revertSecondFactorAddition", SOMETHING_NEW = "unknown",
} do
  answer("resetPassword", 200, { requestType = wire, email = "old@b.example", newEmail = "new@b.example" })
  local info = auth:checkActionCode "code"
  equal(info.operation, operation, wire)
  equal(info.email, "new@b.example")
  equal(info.previousEmail, "old@b.example")
end
for _, wire in ipairs { "EMAIL_SIGNIN", "signIn" } do
  answer("resetPassword", 200, { requestType = wire })
  local info = auth:checkActionCode "code"
  equal(info.operation, "emailLink")
  equal(info.email, nil)
end
