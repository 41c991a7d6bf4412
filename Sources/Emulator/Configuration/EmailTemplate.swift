internal import System

/// The e-mail templates that a project's settings show until it sets its own.
enum EmailTemplate: String, CaseIterable {
  case resetPassword = "resetPasswordTemplate"
  case verifyEmail = "verifyEmailTemplate"
  case changeEmail = "changeEmailTemplate"
  case revertSecondFactorAddition = "revertSecondFactorAdditionTemplate"

  private var subject: String {
    switch self {
    case .resetPassword: "Reset your password for %APP_NAME%"
    case .verifyEmail: "Verify your email for %APP_NAME%"
    case .changeEmail: "Your sign-in email was changed for %APP_NAME%"
    case .revertSecondFactorAddition:
      "You've added 2 step verification to your %APP_NAME% account."
    }
  }

  private var text: [String] {
    switch self {
    case .resetPassword:
      [
        "Follow this link to reset your %APP_NAME% password for your %EMAIL% account.", "%LINK%",
        "If you didn’t ask to reset your password, you can ignore this email.",
      ]
    case .verifyEmail:
      [
        "Follow this link to verify your email address.", "%LINK%",
        "If you didn’t ask to verify this address, you can ignore this email.",
      ]
    case .changeEmail:
      [
        "Your sign-in email for %APP_NAME% was changed to %NEW_EMAIL%.",
        "If you didn’t ask to change your email, follow this link to reset your sign-in email.",
        "%LINK%",
      ]
    case .revertSecondFactorAddition:
      [
        "Your account in %APP_NAME% has been updated with a phone number %SECOND_FACTOR% for 2-step "
          + "verification.",
        "If you didn't add this phone number for 2-step verification, click the link below to remove it.",
        "%LINK%",
      ]
    }
  }

  /// Google's `EmailTemplate` message.
  var wire: JSONObject {
    let greeting = self == .verifyEmail || self == .changeEmail ? "Hello %DISPLAY_NAME%," : "Hello,"
    let lines = [greeting] + text + ["Thanks,", "Your %APP_NAME% team"]
    let body = lines.map { line in
      line == "%LINK%" ? "<p><a href='%LINK%'>%LINK%</a></p>" : "<p>\(line)</p>"
    }
    return [
      "senderLocalPart": "noreply", "subject": .string(subject),
      "body": .string(body.joined(separator: "\n")), "bodyFormat": "HTML", "replyTo": "noreply",
    ]
  }
}
