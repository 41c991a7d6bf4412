local all = { providerId = "google.com", email = "a@x.example", needConfirmation = true,
  errorMessage = "FEDERATED_USER_ID_ALREADY_LINKED", mfaPendingCredential = "m",
  mfaInfo = { { mfaEnrollmentId = "E1" } }, pendingToken = "P" }
local credential = Auth.GoogleAuthProvider.credential "i"
for _, step in ipairs {
  { "accountExistsWithDifferentCredential", "needConfirmation" },
  { "credentialAlreadyInUse", "errorMessage" }, { "secondFactorRequired", "mfaInfo" },
} do
  answer("signInWithIdp", 200, all)
  refused(step[1], auth.signIn, auth, credential)
  all[step[2]] = nil
  equal(auth.currentUser, nil)
end
all.mfaPendingCredential = nil
answer("signInWithIdp", 200, all)
refused("invalidUserToken", auth.signIn, auth, credential)
-- false is no confirmation that is needed.
accept("google.com", { needConfirmation = false })
equal(auth:signIn(credential).user.uid, "U1")
