/// An event that a project's function may refuse.
enum BlockingEvent: String {
  case beforeCreate
  case beforeSignIn
  case beforeSendEmail
  case beforeSendSms

  /// Whether it is about a message that is to be sent, which Firebase's emulator does not ask about.
  var isMessage: Bool { self == .beforeSendEmail || self == .beforeSendSms }
}
