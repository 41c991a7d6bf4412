import Host
import System
import IdentityToolkit

/// A requirement of a scenario on a real project; emulators meet all but the last three and `testPhone`.
enum Need: String, Sendable, CaseIterable {
  case password, emailLink, anonymous, phone, testPhone, totp
  case protection, noProtection, uniqueEmails, signUp, deletion, noPolicy
  /// A clock that may be moved.
  case clock
  /// No accounts but those of the comparison, because the responses show all.
  case noAccounts
  /// Settings of unknown names that can be removed again.
  case removal

  /// Why a server does not meet it; nil when it does.
  func lack(at peer: Peer) -> String? {
    if self == .clock, !peer.hasOwnClock {
      return "the clock is moved only of emulators that luath compare starts itself"
    }
    if self == .noAccounts, !peer.belongings.strangers.isEmpty {
      return "the project has accounts of its own, which the answers would show"
    }
    if self == .removal, peer.keepsSettings, !peer.hasOwnClock {
      return "the emulator could not remove the setting again"
    }
    return lack(in: peer.settings, isEmulated: peer.target.isEmulated)
  }

  private func lack(in settings: JSON, isEmulated: Bool) -> String? {
    if self == .testPhone {
      return ProjectSettings.testNumber(in: settings) == nil
        ? "the project has no phone number for tests" : nil
    }
    if isEmulated { return nil }
    let signIn = settings["signIn"]
    let isProtected = settings["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"]?.bool == true
    let permissions = settings["client"]?["permissions"]
    return switch self {
    case .password:
      signIn?["email"]?["enabled"]?.bool == true ? nil : "sign-in by password is off"
    case .emailLink:
      signIn?["email"]?["enabled"]?.bool == true
        && signIn?["email"]?["passwordRequired"]?.bool != true
        ? nil : "sign-in by e-mail link is off"
    case .anonymous:
      signIn?["anonymous"]?["enabled"]?.bool == true ? nil : "anonymous sign-in is off"
    case .phone, .testPhone:
      signIn?["phoneNumber"]?["enabled"]?.bool == true ? nil : "sign-in by phone is off"
    case .totp:
      Self.hasApps(settings["mfa"]) ? nil : "authenticator apps are off"
    case .protection: isProtected ? nil : "e-mail enumeration protection is off"
    case .noProtection: isProtected ? "e-mail enumeration protection is on" : nil
    case .uniqueEmails:
      signIn?["allowDuplicateEmails"]?.bool == true
        ? "several accounts may have one e-mail address" : nil
    case .signUp:
      permissions?["disabledUserSignup"]?.bool == true ? "clients may not sign up" : nil
    case .deletion:
      permissions?["disabledUserDeletion"]?.bool == true ? "clients may not delete accounts" : nil
    case .noPolicy:
      settings["passwordPolicyConfig"]?["passwordPolicyEnforcementState"]?.string == "ENFORCE"
        ? "the project has a password policy of its own" : nil
    case .clock, .noAccounts, .removal: nil
    }
  }

  private static func hasApps(_ mfa: JSON?) -> Bool {
    mfa?["providerConfigs"]?.array?.contains {
      $0["totpProviderConfig"] != nil && $0["state"]?.string == "ENABLED"
    } == true
  }
}
