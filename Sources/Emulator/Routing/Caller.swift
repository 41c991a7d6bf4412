/// The app that sends a request, as its headers describe it.
struct Caller: Sendable {
  var language: String?
  var userAgent: String?
}
