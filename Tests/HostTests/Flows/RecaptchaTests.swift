@testable import Emulator
@testable import System
import Testing

/// Settings of captchas that only a project file has.
@Suite(.serialized, .timeLimit(.minutes(1))) struct RecaptchaTests {
  @Test func `the site key is the one for web pages`() async throws {
    let checks = [
      "WEB": """
      local config = auth:initializeRecaptchaConfig()
      local found = config.siteKey .. " " .. config.emailPassword .. " " .. config.phone
      equal(found, "the-site-key ENFORCE AUDIT")
      """,
      "IOS": """
      local err = refused("recaptchaSiteKeyMissing", auth.initializeRecaptchaConfig, auth)
      equal(err.rawValue, 17209)
      """,
    ]
    for (client, check) in checks {
      var flow = Flow()
      flow.runner.project.settings["recaptchaConfig"] = [
        "emailPasswordEnforcementState": "ENFORCE", "phoneEnforcementState": "AUDIT",
        "recaptchaKeys": [["key": "projects/p/keys/the-site-key", "type": .string(client)]],
      ]
      try await flow.run(check)
    }
  }

  @Test func `a project that wants a proof of a person gets the one that was given`() async throws {
    var flow = Flow()
    flow.runner.project.requiresAppCredential = true
    try await flow.run(program: "Captcha/app_credential")
  }
}
