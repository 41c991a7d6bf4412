extension Page {
  /// Puts a virtual authenticator into the browser and gives its name.
  public func add(_ authenticator: VirtualAuthenticator) async throws(PageError) -> String {
    try await command("add a virtual authenticator") { session throws(WebDriverError) in
      try await session.add(authenticator)
    }
  }

  /// Takes a virtual authenticator out of the browser.
  public func removeAuthenticator(_ name: String) async throws(PageError) {
    try await command("remove the virtual authenticator") { session throws(WebDriverError) in
      try await session.removeAuthenticator(name)
    }
  }

  /// Whether the virtual authenticator takes its user for its owner from now on.
  public func setUserVerified(_ isVerified: Bool, in name: String) async throws(PageError) {
    try await command("set who uses the virtual authenticator") { session throws(WebDriverError) in
      try await session.setUserVerified(isVerified, in: name)
    }
  }

  /// The passkeys a virtual authenticator holds.
  public func credentials(of name: String) async throws(PageError) -> [VirtualCredential] {
    try await command("list the passkeys") { session throws(WebDriverError) in
      try await session.credentials(of: name)
    }
  }

  /// The cookies the page gets, those that scripts cannot see included.
  public func cookies() async throws(PageError) -> [BrowserCookie] {
    try await command("list the cookies") { session throws(WebDriverError) in
      try await session.cookies()
    }
  }

  /// Deletes the cookies the page gets.
  public func clearCookies() async throws(PageError) {
    try await command("delete the cookies") { session throws(WebDriverError) in
      try await session.deleteCookies()
    }
  }
}
