/// Which providers are believed about which addresses.
///
/// A provider that runs the mailbox knows whose it is. The others are believed when they assert that they
/// checked, except Microsoft and Yahoo, whose work and custom domains anybody can register, and the social networks.
enum EmailTrust {
  private static let mailboxes: [String: [String]] = [
    "microsoft.com": ["outlook.com", "hotmail.com", "live.com", "msn.com"],
    "yahoo.com": ["yahoo.com", "ymail.com", "rocketmail.com"],
    "google.com": ["gmail.com", "googlemail.com"],
  ]

  /// Whether the address may be taken as the person's own.
  static func isTrusted(_ email: String, providerID: String, isAssertedVerified: Bool) -> Bool {
    if mailboxes[providerID]?.contains(EmailAddress.domain(email)) == true { return true }
    switch providerID {
    case "microsoft.com", "yahoo.com": return false
    // Whatever they say of the address (documented).
    case "facebook.com", "github.com", "twitter.com", "linkedin.com": return false
    // Every address that it asserts is its own or a relay of its own.
    case "apple.com": return true
    default: return isAssertedVerified
    }
  }
}
