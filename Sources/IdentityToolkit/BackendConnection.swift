public import System
public import HTTP

/// Sends the requests of clients and administrators to a backend, with retries, and parses refusals.
public struct BackendConnection {
  private let transport: any Transport

  /// Creates a connection over a transport.
  public init(transport: any Transport) { self.transport = transport }

  /// Sends a request and returns its response's body, which is a JSON object.
  ///
  /// The redaction removes the request's secrets from refusals. A repeatable request, which
  /// includes every GET, is sent again when its response was lost or the backend is busy.
  public func send(
    _ request: HTTPRequest, isRepeatable: Bool = false,
    redaction: @autoclosure () -> Redaction
  ) async throws(BackendError) -> JSONObject {
    var retries = RetryPolicy(isRepeatable: isRepeatable || request.method == "GET")
    let began = ContinuousClock.now
    while true {
      let outcome: Result<HTTPResponse, HTTPError>
      let failure: RetryPolicy.Failure?
      do throws(HTTPError) {
        let response = try await transport.send(request)
        outcome = .success(response)
        failure = RetryPolicy.Failure(response)
      } catch {
        outcome = .failure(error)
        failure = RetryPolicy.Failure(error)
      }
      guard let failure,
        case .wait(let pause) = retries.next(
          after: failure, elapsed: began.duration(to: .now), chance: .random(in: 0..<1))
      else { return try read(outcome, redaction()) }
      do throws(HTTPError) { try await transport.pause(for: pause) } catch {
        throw .transport(error)
      }
    }
  }

  private func read(
    _ outcome: Result<HTTPResponse, HTTPError>, _ redaction: @autoclosure () -> Redaction
  ) throws(BackendError) -> JSONObject {
    let response: HTTPResponse
    do throws(HTTPError) { response = try outcome.get() } catch { throw .transport(error) }
    let body: JSON
    do throws(JSONError) { body = try response.json() } catch {
      throw response.unexpected(response.strangeness(error))
    }
    if (200..<300).contains(response.status) {
      if let object = body.object { return object }
      throw response.unexpected(response.strangeness(nil))
    }
    guard var refusal = Refusal(status: response.status, body: body) else {
      throw response.unexpected(response.lackOfError)
    }
    refusal.askedWait = response.askedWait
    refusal.retryAfter = response.headers.retryAfter()
    throw .refused(refusal.cleaned(by: redaction()))
  }
}

extension Refusal {
  /// Returns a copy without the request's secrets.
  ///
  /// The response of a blocking function is JSON inside `detail`: it replaces the details, and its
  /// message replaces `detail`.
  func cleaned(by redaction: Redaction) -> Refusal {
    let function = functionError.map(redaction.clean)
    let words = (function?["error"]?["message"] ?? function?["message"])?.string
    var copy = Refusal(
      error: error, rawName: redaction.clean(rawName),
      detail: words ?? detail.map(redaction.clean), status: status,
      reasons: reasons.map(redaction.clean),
      canonicalStatus: canonicalStatus.map(redaction.clean),
      details: function.map { [$0] } ?? details.map(redaction.clean), hasName: hasName,
      askedWait: askedWait)
    copy.retryAfter = retryAfter
    return copy
  }
}

extension HTTPResponse {
  /// The error for a response that is not from this API.
  fileprivate func unexpected(_ message: String) -> BackendError {
    .unexpected(status: status, message: message, retryAfter: headers.retryAfter())
  }
}
