local user = auth:signInAnonymously().user
-- The token has ten seconds, so that it is renewed first.
user:reload()
auth:sendPasswordReset "ada@contoso.example"
auth:checkActionCode "code"
auth:applyActionCode "code"
auth:initializeRecaptchaConfig()
local err = refused("unsupportedPasswordPolicySchemaVersion", auth.validatePassword, auth, "x")
equal(err.webCode, "auth/unsupported-password-policy-schema-version")
