public import HTTP

/// Why a call of the backend failed.
public enum BackendError: Error, Sendable {
  case refused(Refusal)

  /// The request could not be sent, or the response was lost.
  case transport(HTTPError)

  /// The response is not from this API; `retryAfter` is its Retry-After.
  case unexpected(status: Int, message: String, retryAfter: Duration? = nil)

  /// The error code for scripts.
  ///
  /// A response that is not from this API is an internal error, unless its status means that the
  /// backend, or a proxy in front of it, is busy or unavailable.
  public var code: ErrorCode {
    switch self {
    case .refused(let refusal): refusal.code
    case .transport(let error): error.code == .changeNotAllowed ? .changeNotAllowed : .networkError
    case .unexpected(let status, _, _): ErrorCode(ofBusyStatus: status) ?? .internalError
    }
  }

  /// The hint, in one sentence.
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
  /// The code of a status that means only that the backend is busy or unavailable.
  init?(ofBusyStatus status: Int) {
    switch status {
    case 429: self = .tooManyRequests
    case 502, 503, 504: self = .networkError
    default: return nil
    }
  }
}
