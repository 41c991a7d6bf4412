public import HTTP

/// How a call of the backend can fail.
public enum BackendError: Error, Sendable {
  /// The backend refused.
  case refused(Refusal)

  /// The request or its answer did not get through.
  case transport(HTTPError)

  /// The answer is not one of this API.
  case unexpected(status: Int, message: String)
}
