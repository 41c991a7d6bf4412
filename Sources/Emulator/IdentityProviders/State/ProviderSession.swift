/// The accounts that are signed in at a provider in one browser.
final class ProviderSession {
  struct Account {
    let email: String
    /// When the password was last entered, in seconds since 1970.
    var signedInAt: Int64
  }

  /// The cookie's value; every login sets a new one, against session fixation.
  var id: String
  private(set) var accounts: [Account] = []

  init(id: String) { self.id = id }

  func remember(_ email: String, at seconds: Int64) {
    accounts.removeAll { $0.email.utf8.elementsEqual(email.utf8) }
    accounts.insert(Account(email: email, signedInAt: seconds), at: 0)
  }

  func forget(_ email: String) {
    accounts.removeAll { $0.email.utf8.elementsEqual(email.utf8) }
  }

  func forgetAll() { accounts = [] }

  func account(_ email: String) -> Account? {
    accounts.first { $0.email.utf8.elementsEqual(email.utf8) }
  }
}
