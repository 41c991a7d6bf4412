/// A function that hears who is signed in, from when it was added to an Auth until it is removed.
public final class AuthListener {
  private let hearsTokens: Bool
  private let hear: (User?) -> Void
  private var heard: ExactUser?

  init(hearsTokens: Bool, _ hear: @escaping (User?) -> Void) {
    self.hearsTokens = hearsTokens
    self.hear = hear
  }

  /// Tells who is signed in now; whoever listens to users only hears of another uid.
  func tell(_ user: User?) {
    let isKnown = heard.map { $0.isSame(as: user) } ?? false
    heard = ExactUser(uid: user?.uid)
    if hearsTokens || !isKnown { hear(user) }
  }

  /// Takes it that nobody is signed in, and that this is known.
  func reset() { heard = ExactUser(uid: nil) }

  /// Who was signed in when the listener heard of it last.
  private struct ExactUser {
    let uid: String?

    func isSame(as user: User?) -> Bool {
      guard let user, let uid else { return user == nil && self.uid == nil }
      return user.hasID(uid)
    }
  }
}
