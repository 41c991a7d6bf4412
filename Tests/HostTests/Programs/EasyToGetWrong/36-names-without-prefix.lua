for code, name in pairs {
  missingAppCredential = "MISSING_APP_CREDENTIAL", invalidAppCredential = "INVALID_APP_CREDENTIAL",
  missingPhoneNumber = "ERROR_MISSING_PHONE_NUMBER",
} do
  fails("signUp", (name:gsub("^ERROR_", "")))
  equal(refused(code, auth.signInAnonymously, auth).name, name)
end
