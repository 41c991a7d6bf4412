/// A moment at which a project's function may say no.
enum BlockingEvent: String {
  case beforeCreate
  case beforeSignIn
}
