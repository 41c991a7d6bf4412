/// An HTTP client over libcurl.
///
/// Connections are reused and TLS is verified. HTTP/2 is used if a TLS server offers it. The proxy
/// variables of the environment apply except for this machine.
///
/// When a reused connection fails during a request, libcurl sends the request again. This client prevents that
/// for POST, PATCH and unknown methods once a byte of them was sent: they reach a server at most once. They
/// always use HTTP/1.1, where it is clear which request a closing server has not processed.
///
/// Transfers run on the loop; awaiting them is cheapest from an actor of the same loop.
public final class HTTPClient: Transport {
  private let loop: EventLoop
  private let pool: TransferPool

  /// Receives every finished exchange, for traces; redirects are part of one exchange.
  var onExchange: ((HTTPRequest, Result<HTTPResponse, HTTPError>) -> Void)?

  /// Returns an error for redirected requests that must not be sent; nil allows them.
  public var refusesRedirect: ((HTTPRequest) -> HTTPError?)?

  /// Creates a client; connections are shared with the other clients of the loop.
  public init(loop: EventLoop, options: ClientOptions = ClientOptions()) {
    self.loop = loop
    pool = TransferPool(options: options)
  }

  /// Sends a request and waits for the whole response; a status of 400 or above is not an error.
  ///
  /// Canceling the task ends the transfer and closes its connection.
  public func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    let result = await exchange(request)
    onExchange?(request, result)
    return try result.get()
  }

  /// Waits with the loop's timers.
  public func pause(for duration: Duration) async throws(HTTPError) {
    do { try await loop.sleep(for: duration) } catch { throw .cancelledPause }
  }

  /// Sends a request without a task; calls `done` with the result on the loop's thread.
  ///
  /// Call it on the loop's thread only. Redirects are never followed.
  public func begin(
    _ request: HTTPRequest, _ done: @escaping (Result<HTTPResponse, HTTPError>) -> Void
  ) -> Sending {
    loop.requireThread()
    let exchange = Exchange(request, pool: pool)
    if let onExchange {
      loop.begin(exchange) { result in
        onExchange(request, result)
        done(result)
      }
    } else {
      loop.begin(exchange, done)
    }
    return Sending(loop: loop, exchange: exchange)
  }

  private func exchange(_ request: HTTPRequest) async -> Result<HTTPResponse, HTTPError> {
    let first = await transfer(request)
    guard request.maximumRedirects > 0, case .success(let response) = first,
      let redirect = Redirect(request, response)
    else { return first }
    return await follow(redirect, of: request, after: response)
  }

  /// Follows redirects one by one, so that each hop uses its own proxy and credentials never reach
  /// another origin.
  private func follow(
    _ first: Redirect, of original: HTTPRequest, after answer: HTTPResponse
  ) async -> Result<HTTPResponse, HTTPError> {
    var redirect = first
    var spent = answer.duration
    var timings = answer.timings
    for _ in 0..<original.maximumRedirects {
      var request: HTTPRequest
      switch redirect.next {
      case .success(let next):
        if let refusal = refusesRedirect?(next) { return .failure(refusal) }
        request = next
      case .failure(let error): return .failure(error)
      }
      request.timeout = original.timeout - spent
      guard request.timeout > .zero else {
        return .failure(
          HTTPError(
            .timedOut, "the redirects from \(original.url.place) did not end in time",
            hint: "allow more time or ask for the final address"))
      }
      let result = await transfer(request)
      guard case .success(var response) = result else { return result }
      spent += response.duration
      timings = timings.flatMap { sum in response.timings.map { sum + $0 } }
      guard let following = Redirect(request, response) else {
        response.duration = spent
        response.timings = timings
        return .success(response)
      }
      redirect = following
    }
    return .failure(
      HTTPError(
        .tooManyRedirects,
        "\(original.url.place) redirects more than \(original.maximumRedirects) times",
        hint: "look for a loop in the server's redirects"))
  }

  /// Sends one request, without following redirects.
  private func transfer(
    _ request: HTTPRequest, isolation: isolated (any Actor)? = #isolation
  ) async -> Result<HTTPResponse, HTTPError> {
    guard !Task.isCancelled else { return .failure(.cancelled(request.url)) }
    let exchange = Exchange(request, pool: pool)
    let loop = loop
    // A continuation resumes on the task's preferred executor and only then returns to its actor.
    // By default that is the global executor: two thread switches per request.
    return await withTaskExecutorPreference(loop) {
      await withTaskCancellationHandler {
        // The capture keeps the closures on the caller's actor.
        _ = isolation
        return await withUnsafeContinuation { continuation in
          // On the loop's thread, where `onCancel` may already have ended the exchange.
          loop.performSoon { loop.begin(exchange) { continuation.resume(returning: $0) } }
        }
      } onCancel: {
        exchange.markCancelled()
        // Deferred, because the handler runs under the task's own lock.
        loop.perform { loop.cancel(exchange) }
      }
    }
  }
}

extension WebURL {
  /// Host and port, the only parts of a URL allowed in error messages.
  var place: String { "\(host):\(port)" }
}

extension HTTPError {
  static func cancelled(_ url: WebURL) -> HTTPError {
    HTTPError(.cancelled, "the request to \(url.place) was cancelled", hint: "")
  }
}
