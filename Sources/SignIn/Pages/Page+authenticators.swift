extension Page {
  /// Adds a virtual authenticator and returns its name.
  public func add(_ authenticator: VirtualAuthenticator) async throws(PageError) -> String {
    try await command("add a virtual authenticator") { session throws(WebDriverError) in
      try await session.add(authenticator)
    }
  }

  /// Removes a virtual authenticator.
  public func removeAuthenticator(_ name: String) async throws(PageError) {
    try await command("remove the virtual authenticator") { session throws(WebDriverError) in
      try await session.removeAuthenticator(name)
    }
  }

  /// Sets whether user verification by the virtual authenticator succeeds from now on.
  public func setUserVerified(_ isVerified: Bool, in name: String) async throws(PageError) {
    try await command("set who uses the virtual authenticator") { session throws(WebDriverError) in
      try await session.setUserVerified(isVerified, in: name)
    }
  }

  /// Returns the passkeys of a virtual authenticator.
  public func credentials(of name: String) async throws(PageError) -> [VirtualCredential] {
    try await command("list the passkeys") { session throws(WebDriverError) in
      try await session.credentials(of: name)
    }
  }

  /// Returns the cookies of the page, including HttpOnly ones.
  public func cookies() async throws(PageError) -> [BrowserCookie] {
    try await command("list the cookies") { session throws(WebDriverError) in
      try await session.cookies()
    }
  }

  /// Deletes the cookies of the page.
  public func clearCookies() async throws(PageError) {
    try await command("delete the cookies") { session throws(WebDriverError) in
      try await session.deleteCookies()
    }
  }
}
