public import Encoding
public import HTTP

/// Sends the requests of clients and administrators to a backend, and tells its refusals from answers.
public struct BackendConnection {
  private let transport: any Transport

  /// Sends over a transport.
  public init(transport: any Transport) { self.transport = transport }

  /// Sends a request and returns its answer's body, which is a JSON object.
  ///
  /// What a refusal quotes of the request's secrets is removed by the redaction.
  public func send(
    _ request: HTTPRequest, redaction: @autoclosure () -> Redaction
  ) async throws(BackendError) -> JSONObject {
    let response: HTTPResponse
    do {
      response = try await transport.send(request)
    } catch {
      throw .transport(error)
    }
    let body = try? response.json()
    if (200..<300).contains(response.status) {
      guard let object = body?.object else {
        throw .unexpected(status: response.status, message: "the answer is not a JSON object")
      }
      return object
    }
    guard let body, let refusal = Refusal(status: response.status, body: body) else {
      throw .unexpected(
        status: response.status, message: "the answer has status \(response.status) and no error")
    }
    throw .refused(refusal.cleaned(by: redaction()))
  }
}

extension Refusal {
  /// A copy whose words and details hold nothing of what the request kept secret.
  ///
  /// A blocking function's answer is JSON inside the words: it takes the place of the details, and
  /// its own message that of the words.
  func cleaned(by redaction: Redaction) -> Refusal {
    let function = functionError.map(redaction.clean)
    let words = (function?["error"]?["message"] ?? function?["message"])?.string
    return Refusal(
      error: error, rawName: redaction.clean(rawName),
      detail: words ?? detail.map(redaction.clean), status: status,
      reasons: reasons.map(redaction.clean),
      canonicalStatus: canonicalStatus.map(redaction.clean),
      details: function.map { [$0] } ?? details.map(redaction.clean), hasName: hasName)
  }
}
