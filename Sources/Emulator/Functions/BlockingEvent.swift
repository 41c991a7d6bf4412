/// An event that a project's function may refuse.
enum BlockingEvent: String {
  case beforeCreate
  case beforeSignIn
  case beforeSendEmail
  case beforeSendSms

  /// Whether the event is about a message to be sent; Firebase's emulator does not call functions for these.
  var isMessage: Bool { self == .beforeSendEmail || self == .beforeSendSms }
}
