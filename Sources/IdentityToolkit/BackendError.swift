public import HTTP

/// How a call of the backend can fail.
public enum BackendError: Error, Sendable {
  /// The backend refused.
  case refused(Refusal)

  /// The request or its answer did not get through.
  case transport(HTTPError)

  /// The answer is not one of this API; `retryAfter` is how long it asks to wait.
  case unexpected(status: Int, message: String, retryAfter: Duration? = nil)

  /// The code scripts know this failure by.
  ///
  /// An answer that is none of this API's is an internal error, unless its status says that the
  /// backend, or what stands before it, is busy or away.
  public var code: ErrorCode {
    switch self {
    case .refused(let refusal): refusal.code
    case .transport(let error): error.code == .changeNotAllowed ? .changeNotAllowed : .networkError
    case .unexpected(let status, _, _): ErrorCode(ofBusyStatus: status) ?? .internalError
    }
  }

  /// What to do about this failure, in one sentence.
  public var hint: String {
    switch self {
    case .refused(let refusal): refusal.hint(refusal.code.hint)
    case .transport(let error): error.hint
    case .unexpected(let status, _, _):
      switch ErrorCode(ofBusyStatus: status) {
      case nil:
        "check that the target is an Identity Toolkit backend and that nothing stands between"
      case .tooManyRequests?: "wait before you send this again, and send fewer requests"
      default: "the backend is overloaded or being restarted: try again in a while"
      }
    }
  }
}

extension ErrorCode {
  /// The code of a status that says no more than that the backend is busy or away.
  init?(ofBusyStatus status: Int) {
    switch status {
    case 429: self = .tooManyRequests
    case 502, 503, 504: self = .networkError
    default: return nil
    }
  }
}
