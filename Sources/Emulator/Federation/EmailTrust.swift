/// Which providers are trusted for which e-mail addresses.
///
/// A provider that runs the mailbox knows its owner. The others are trusted if they assert that
/// they verified the address. Exceptions are Microsoft and Yahoo, where anybody can register work
/// and custom domains, and the social networks.
enum EmailTrust {
  private static let mailboxes: [String: [String]] = [
    "microsoft.com": ["outlook.com", "hotmail.com", "live.com", "msn.com"],
    "yahoo.com": ["yahoo.com", "ymail.com", "rocketmail.com"],
    "google.com": ["gmail.com", "googlemail.com"],
  ]

  /// Whether the address counts as the user's own.
  static func isTrusted(_ email: String, providerID: String, isAssertedVerified: Bool) -> Bool {
    if mailboxes[providerID]?.contains(EmailAddress.domain(email)) == true { return true }
    switch providerID {
    case "microsoft.com", "yahoo.com": return false
    // Never trusted, even if they assert that they verified the address (documented).
    case "facebook.com", "github.com", "twitter.com", "linkedin.com": return false
    // Apple asserts only addresses of its accounts and of its relay.
    case "apple.com": return true
    default: return isAssertedVerified
    }
  }
}
