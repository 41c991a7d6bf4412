internal import HTTP

/// One request and its response as logged: unmasked, and sharing the original storage.
///
/// It must not be shown. `VisibleExchange` is the version for users and tools.
struct LoggedExchange {
  /// The sender of the request.
  enum Caller {
    /// A client or an administrator, over HTTP.
    case network
    /// A user who pressed a button on the dashboard.
    case page
  }

  /// A unique number, counted from one.
  let number: Int
  let request: HTTPRequest
  let response: ServerResponse
  let caller: Caller
  /// When the response was ready, in milliseconds since 1970 on the emulator's clock.
  let time: Int64
  /// The time until the response, in nanoseconds of the machine's clock.
  let nanoseconds: Int64
  /// The sizes of both bodies in bytes, before they were cut.
  let requestSize: Int
  let responseSize: Int
}
