internal import HTTP

/// What becomes of a request: an answer at once, or an operation that must ask an identity provider first.
enum Turn {
  enum Waiting {
    case createAuthUri
    case signInWithIdp
  }

  case done(ServerResponse)
  case waits(Waiting, Call)
}
