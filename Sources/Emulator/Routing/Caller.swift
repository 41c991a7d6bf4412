/// The app that sends a request, as its headers describe it.
struct Caller: Sendable {
  /// The user's language.
  var language: String?
  var userAgent: String?
}
