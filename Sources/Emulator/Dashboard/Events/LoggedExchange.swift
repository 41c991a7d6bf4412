internal import HTTP

/// One request and its answer as the log keeps them: raw, and shared with whoever sent them.
///
/// Nothing in it is fit to be shown; `VisibleExchange` is what people and tools see.
struct LoggedExchange {
  /// Who asked.
  enum Caller {
    /// A client or an administrator, over HTTP.
    case network
    /// A person who pressed a button on the emulator's own page.
    case page
  }

  /// Counts from one; no two exchanges of an emulator share a number.
  let number: Int
  let request: HTTPRequest
  let response: ServerResponse
  let caller: Caller
  /// Milliseconds since 1970 on the project's clock, when the answer was ready.
  let time: Int64
  /// How long the answer took, in nanoseconds of the machine's clock.
  let nanoseconds: Int64
  /// The sizes of both bodies before they were cut.
  let requestSize: Int
  let responseSize: Int
}
