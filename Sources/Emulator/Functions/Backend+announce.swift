extension Backend {
  /// Stores an account that is new.
  func add(_ account: inout Account) {
    accounts.save(&account)
  }
}
