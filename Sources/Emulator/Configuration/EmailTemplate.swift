internal import System

/// The e-mails that the project sends.
///
/// The settings show four templates and let a project change them. Google's servers have fixed texts for the other
/// two, which luath words itself.
enum EmailTemplate: String, CaseIterable {
  case resetPassword = "resetPasswordTemplate"
  case verifyEmail = "verifyEmailTemplate"
  case changeEmail = "changeEmailTemplate"
  case revertSecondFactorAddition = "revertSecondFactorAdditionTemplate"
  case signIn
  case verifyNewEmail

  /// The templates that are part of the settings.
  static let settings: [EmailTemplate] = [
    .resetPassword, .verifyEmail, .changeEmail, .revertSecondFactorAddition,
  ]

  /// The template of an e-mail with this code.
  init(_ purpose: OutOfBandCode.Purpose) {
    self =
      switch purpose {
      case .passwordReset: .resetPassword
      case .verifyEmail: .verifyEmail
      case .recoverEmail: .changeEmail
      case .emailSignIn: .signIn
      case .verifyAndChangeEmail: .verifyNewEmail
      }
  }

  private var subject: String {
    switch self {
    case .resetPassword: "Reset your password for %APP_NAME%"
    case .verifyEmail: "Verify your email for %APP_NAME%"
    case .changeEmail: "Your sign-in email was changed for %APP_NAME%"
    case .revertSecondFactorAddition:
      "You've added 2 step verification to your %APP_NAME% account."
    case .signIn: "Sign in to %APP_NAME%"
    case .verifyNewEmail: "Verify your new email for %APP_NAME%"
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
    case .signIn:
      [
        "Follow this link to sign in to %APP_NAME% as %EMAIL%.", "%LINK%",
        "If you did not ask for this link, ignore this email.",
      ]
    case .verifyNewEmail:
      [
        "Follow this link to make %NEW_EMAIL% the sign-in email of your %APP_NAME% account. "
          + "It is now %EMAIL%.", "%LINK%",
        "If you did not ask for this change, ignore this email.",
      ]
    }
  }

  private var greeting: String {
    switch self {
    case .verifyEmail, .changeEmail, .verifyNewEmail: "Hello %DISPLAY_NAME%,"
    default: "Hello,"
    }
  }

  /// Google's `EmailTemplate` message.
  var wire: JSONObject {
    let lines = [greeting] + text + ["Thanks,", "Your %APP_NAME% team"]
    let body = lines.map { line in
      line == "%LINK%" ? "<p><a href='%LINK%'>%LINK%</a></p>" : "<p>\(line)</p>"
    }
    return [
      "senderLocalPart": "noreply", "subject": .string(subject),
      "body": .string(body.joined(separator: "\n")), "bodyFormat": "HTML", "replyTo": "noreply",
    ]
  }

  /// The template with the project's changes.
  func wire(in configuration: ProjectConfiguration) -> JSONObject {
    let chosen = configuration.settings["notification"]?["sendEmail"]?[rawValue]?.object
    return chosen.map { wire.merging($0.withoutDefaults) } ?? wire
  }
}

extension ProjectConfiguration {
  /// The text of an SMS that a project sends until it sets its own.
  static let defaultSMSTemplate = "%LOGIN_CODE% is your verification code for %APP_NAME%."

  /// The text of an SMS: `notification.sendSms.smsTemplate.content`.
  var smsTemplate: String {
    let content = settings["notification"]?["sendSms"]?["smsTemplate"]?["content"]?.string
    return content.flatMap { $0.isEmpty ? nil : $0 } ?? Self.defaultSMSTemplate
  }
}
