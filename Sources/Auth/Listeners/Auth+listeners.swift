extension Auth {
  /// Tells a function who is signed in: at once, and again whenever that is somebody else.
  ///
  /// It is called within the operation that changed something, so it should note what it hears and
  /// act on it later.
  public func addStateDidChangeListener(_ hear: @escaping (User?) -> Void) -> AuthListener {
    add(AuthListener(hearsTokens: false, hear))
  }

  /// Tells a function who is signed in: at once, at each sign-in and sign-out, and whenever the
  /// current user's ID token is another one.
  ///
  /// The same holds for it as for a listener to the user alone.
  public func addIDTokenDidChangeListener(_ hear: @escaping (User?) -> Void) -> AuthListener {
    add(AuthListener(hearsTokens: true, hear))
  }

  /// Takes a listener back; one that was taken back before stays so.
  public func remove(_ listener: AuthListener) {
    listeners.removeAll { $0 === listener }
  }

  private func add(_ listener: AuthListener) -> AuthListener {
    listeners.append(listener)
    listener.tell(currentUser)
    return listener
  }

  /// Tells everybody who is signed in now.
  func announce() {
    announcedToken = currentUser?.session.idToken
    // A copy: whoever hears of it may add or remove listeners.
    for listener in listeners { listener.tell(currentUser) }
  }

  /// Tells everybody when the current user's token is not the one they know.
  func tokensChanged(of user: User) {
    guard currentUser === user, announcedToken != user.session.idToken else { return }
    announce()
  }
}
