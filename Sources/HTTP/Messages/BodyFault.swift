/// Why a server could not decode the body of a request.
public enum BodyFault: Sendable, Equatable {
  /// The server does not support its `Content-Encoding`.
  case unknownCoding
  /// It does not match its `Content-Encoding`.
  case malformed
  /// Its compressed data are incomplete.
  case truncated

  var refusal: ServerRefusal {
    switch self {
    case .unknownCoding:
      ServerRefusal(415, "the request body has a coding other than gzip and deflate")
    case .malformed, .truncated:
      ServerRefusal(400, "the request body is not what its Content-Encoding says")
    }
  }
}
