internal import Encoding

extension BrowserSession {
  /// Adds a virtual authenticator and returns the driver's name for it.
  public func add(_ authenticator: VirtualAuthenticator) async throws(WebDriverError) -> String {
    let answer = try await post("/webauthn/authenticator", authenticator.json)
    guard let name = answer.string else { throw Self.unexpected("an authenticator's name") }
    return name
  }

  /// Removes a virtual authenticator and its passkeys.
  public func removeAuthenticator(_ name: String) async throws(WebDriverError) {
    try await delete(authenticator(name))
  }

  /// Puts a passkey into a virtual authenticator.
  public func add(
    _ credential: VirtualCredential, to name: String
  ) async throws(WebDriverError) {
    try await post("\(authenticator(name))/credential", credential.json)
  }

  /// The passkeys of a virtual authenticator, with their private keys.
  public func credentials(of name: String) async throws(WebDriverError) -> [VirtualCredential] {
    guard let list = try await get("\(authenticator(name))/credentials").array else {
      throw Self.unexpected("a list of credentials")
    }
    return list.compactMap { VirtualCredential($0) }
  }

  /// Removes one passkey of a virtual authenticator.
  public func removeCredential(
    _ id: [UInt8], from name: String
  ) async throws(WebDriverError) {
    try await delete("\(authenticator(name))/credentials/\(Base64URL.encode(id))")
  }

  /// Removes all passkeys of a virtual authenticator.
  public func removeCredentials(from name: String) async throws(WebDriverError) {
    try await delete("\(authenticator(name))/credentials")
  }

  /// Whether the authenticator takes its user for its owner from now on.
  public func setUserVerified(
    _ isVerified: Bool, in name: String
  ) async throws(WebDriverError) {
    try await post("\(authenticator(name))/uv", ["isUserVerified": .bool(isVerified)])
  }

  private func authenticator(_ name: String) -> String {
    "/webauthn/authenticator/\(PercentEncoding.encode(name))"
  }
}
