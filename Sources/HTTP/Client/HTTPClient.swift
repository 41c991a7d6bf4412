/// Sends requests over libcurl: connections are kept, TLS is verified, HTTP/2 is used where a TLS
/// server offers it, and the proxy variables of the environment count except for this machine.
///
/// When a kept connection dies under a request, libcurl sends the request again. That is stopped for
/// POST, PATCH and unknown methods once a byte of them has gone out: they reach a server once or fail.
/// They go over HTTP/1.1 always, where a server can end a connection without leaving that open.
///
/// The transfers run on the loop; awaiting them costs least from an actor of the same loop.
public final class HTTPClient: Transport {
  private let loop: EventLoop
  private let pool: TransferPool

  /// Sees every exchange when it is done, for traces; redirects are part of one exchange.
  public var onExchange: ((HTTPRequest, Result<HTTPResponse, HTTPError>) -> Void)?

  /// Refuses a request that a redirect asks for; nil refuses none.
  public var refusesRedirect: ((HTTPRequest) -> HTTPError?)?

  /// Creates a client; connections are shared with the other clients of the loop.
  public init(loop: EventLoop, options: ClientOptions = ClientOptions()) {
    self.loop = loop
    pool = TransferPool(options: options)
  }

  /// Sends a request and waits for the whole answer; a status of 400 or above is no error.
  ///
  /// Cancelling the task ends the transfer and closes its connection.
  public func send(_ request: HTTPRequest) async throws(HTTPError) -> HTTPResponse {
    let result = await exchange(request)
    onExchange?(request, result)
    return try result.get()
  }

  /// Waits on the loop's timers.
  public func pause(for duration: Duration) async throws(HTTPError) {
    do { try await loop.sleep(for: duration) } catch { throw .cancelledPause }
  }

  /// Sends a request without a task: calls `done` with the answer, on the loop's thread.
  ///
  /// Only from the loop's thread. Redirects are not followed, whatever the request allows.
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

  /// Follows redirects one by one, so that each hop chooses its own proxy and credentials never
  /// reach another origin.
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

  /// One request and its answer, whatever the status.
  private func transfer(
    _ request: HTTPRequest, isolation: isolated (any Actor)? = #isolation
  ) async -> Result<HTTPResponse, HTTPError> {
    guard !Task.isCancelled else { return .failure(.cancelled(request.url)) }
    let exchange = Exchange(request, pool: pool)
    let loop = loop
    // A continuation resumes on the task's preferred executor and only then returns to its actor.
    // Without a preference that is the global one: two thread switches per request.
    return await withTaskExecutorPreference(loop) {
      await withTaskCancellationHandler {
        // Naming it keeps the closures on the caller's actor.
        _ = isolation
        return await withUnsafeContinuation { continuation in
          // On the loop's thread, where `onCancel` may have ended the exchange meanwhile.
          loop.performSoon { loop.begin(exchange) { continuation.resume(returning: $0) } }
        }
      } onCancel: {
        exchange.markCancelled()
        // Not at once: the handler runs under the task's own lock.
        loop.perform { loop.cancel(exchange) }
      }
    }
  }
}

extension WebURL {
  /// Host and port, which is all of a URL that an error message may name.
  var place: String { "\(host):\(port)" }
}

extension HTTPError {
  static func cancelled(_ url: WebURL) -> HTTPError {
    HTTPError(.cancelled, "the request to \(url.place) was cancelled", hint: "")
  }
}
