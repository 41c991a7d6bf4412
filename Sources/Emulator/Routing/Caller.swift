/// What a request says of the app that sends it.
struct Caller: Sendable {
  /// The language in which the user is to be addressed.
  var language: String?
  var userAgent: String?
}
