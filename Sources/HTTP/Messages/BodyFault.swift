/// Why a server could not read the body of a request.
public enum BodyFault: Sendable, Equatable {
  /// Its `Content-Encoding` is none that the server knows.
  case unknownCoding
  /// It is not what its `Content-Encoding` says.
  case malformed
  /// Its compressed data end too early.
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
