extension Auth {
  /// Calls a function with the current user: at once, and whenever another user is current.
  ///
  /// The function runs inside the operation that made the change. It should record the user and act later.
  public func addStateDidChangeListener(_ hear: @escaping (User?) -> Void) -> AuthListener {
    add(AuthListener(hearsTokens: false, hear))
  }

  /// Calls a function with the current user: at once, at each sign-in and sign-out, and at each new ID token.
  ///
  /// As with the other listener, the function should record the user and act later.
  public func addIDTokenDidChangeListener(_ hear: @escaping (User?) -> Void) -> AuthListener {
    add(AuthListener(hearsTokens: true, hear))
  }

  /// Removes a listener; does nothing when it was removed before.
  public func remove(_ listener: AuthListener) {
    listeners.removeAll { $0 === listener }
  }

  private func add(_ listener: AuthListener) -> AuthListener {
    listeners.append(listener)
    listener.tell(currentUser)
    return listener
  }

  /// Calls all listeners with the current user.
  func announce() {
    announcedToken = currentUser?.session.idToken
    // Iterate over a copy: a listener may add or remove listeners.
    for listener in listeners { listener.tell(currentUser) }
  }

  /// Calls all listeners if the current user's ID token has changed.
  func tokensChanged(of user: User) {
    guard currentUser === user, announcedToken != user.session.idToken else { return }
    announce()
  }
}
