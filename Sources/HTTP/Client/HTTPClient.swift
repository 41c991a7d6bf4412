import CCurl
import CMicroHTTP
import CZlib
public import System
import Glibc

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

/// The options that apply to all requests of a client.
public struct ClientOptions: Sendable {
  /// The User-Agent header of requests without one.
  var userAgent: String

  /// The time limit for DNS lookup, connection and TLS handshake together.
  var connectTimeout: Duration

  /// The maximum size of a response's headers, in bytes.
  var maximumHeaderBytes: Int

  /// A file of trusted certificates to use instead of the system's; nil keeps the system's.
  public var certificateFile: String?

  /// A directory of trusted certificates (in c_rehash format) to use instead of the system's.
  var certificateDirectory: String?

  /// Connects to HOST:PORT instead of the host's own address, by host name.
  ///
  /// The certificate is checked for the original host, and the Host header names it. No proxy is used.
  public var places: [String: String] = [:]

  /// Hosts to which requests without TLS are refused.
  public var secureHosts: Set<String> = []

  /// Creates options with the certificates of CURL_CA_BUNDLE, SSL_CERT_FILE and SSL_CERT_DIR.
  public init(
    userAgent: String = "luath/\(Version.current)", connectTimeout: Duration = .seconds(10),
    maximumHeaderBytes: Int = 64 << 10
  ) {
    self.userAgent = userAgent
    self.connectTimeout = connectTimeout
    self.maximumHeaderBytes = maximumHeaderBytes
    certificateFile = environment("CURL_CA_BUNDLE") ?? environment("SSL_CERT_FILE")
    certificateDirectory = environment("SSL_CERT_DIR")
  }
}

/// Returns an environment variable; nil when it is unset or empty.
private func environment(_ name: String) -> String? {
  guard let value = getenv(name), value.pointee != 0 else { return nil }
  return String(cString: value)
}

/// A request sent without a task.
public struct Sending: Sendable {
  let loop: EventLoop
  let exchange: Exchange

  /// Ends the transfer soon with the error `cancelled`; has no effect after its end.
  public func cancel() {
    let (loop, exchange) = (loop, exchange)
    exchange.markCancelled()
    loop.perform { loop.cancel(exchange) }
  }
}

/// The trusted certificates of this process, used when a target names no file of its own.
public struct CertificateStore: Sendable {
  /// The file with the certificates, if any.
  public let file: String?
  /// The folder with the certificates, if any.
  public let folder: String?
  /// The environment variable that replaces the system's store, if one is set.
  public let variable: String?

  /// The store named by CURL_CA_BUNDLE, SSL_CERT_FILE or SSL_CERT_DIR, else libcurl's default.
  public static var current: CertificateStore {
    let options = ClientOptions()
    // `cainfo` and `capath` exist since 7.70 (curl_version_info(3)).
    let facts = curl_version_info(CURLVERSION_SEVENTH)
    let system = facts.flatMap { facts -> (file: String?, folder: String?)? in
      guard facts.pointee.age.rawValue >= CURLVERSION_SEVENTH.rawValue else { return nil }
      return (
        facts.pointee.cainfo.map { String(cString: $0) },
        facts.pointee.capath.map { String(cString: $0) }
      )
    }
    let variables = ["CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR"]
    return CertificateStore(
      file: options.certificateFile ?? system?.file,
      folder: options.certificateDirectory ?? system?.folder,
      variable: variables.first { getenv($0).map { $0.pointee != 0 } ?? false })
  }
}

extension SystemLibrary {
  /// libcurl, which sends requests; the note names its TLS library.
  public static var curl: SystemLibrary {
    guard let facts = curl_version_info(CURLVERSION_SEVENTH) else {
      return SystemLibrary("libcurl", nil, headers: LIBCURL_VERSION)
    }
    return SystemLibrary(
      "libcurl", String(cString: facts.pointee.version), headers: LIBCURL_VERSION,
      note: facts.pointee.ssl_version.map { "TLS by \(String(cString: $0))" } ?? "without TLS")
  }

  /// libmicrohttpd, the emulator's HTTP server.
  public static var microhttpd: SystemLibrary {
    SystemLibrary("libmicrohttpd", String(cString: MHD_get_version()))
  }

  /// zlib, which inflates compressed requests.
  public static var zlib: SystemLibrary {
    SystemLibrary("zlib", String(cString: zlibVersion()), headers: ZLIB_VERSION)
  }
}
