import System
import CCurl
import CShims

/// Converts a libcurl error to an `HTTPError`; a separate type because only failures need it.
struct TransferFailure {
  let easy: UnsafeMutableRawPointer
  let code: CURLcode
  let request: HTTPRequest
  let options: ClientOptions
  let refusal: ResponseReader.Refusal?
  /// libcurl's message; shown only for TLS, where it describes the certificate and contains no data.
  let text: String

  private var place: String { request.url.place }

  /// Whether the connection, including TLS, was established.
  private var isConnected: Bool {
    luath_curl_get_offset(easy, CURLINFO_PRETRANSFER_TIME_T) > 0
  }

  var error: HTTPError {
    if let refusal { return tooLarge(refusal) }
    switch code {
    case CURLE_FILESIZE_EXCEEDED:
      return tooLarge(.bodyTooLarge(limit: request.maximumResponseBytes))
    case CURLE_COULDNT_RESOLVE_HOST:
      return HTTPError(
        .resolve, "the host name of \(place) has no address",
        hint: "check the spelling and the network's name server")
    case CURLE_COULDNT_RESOLVE_PROXY:
      return HTTPError(
        .resolve, "the proxy on the way to \(place) has no address",
        hint: "check http_proxy, https_proxy and no_proxy in the environment")
    case CURLE_OPERATION_TIMEDOUT: return timedOut
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM,
      CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR,
      CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_ENGINE_INITFAILED,
      CURLE_USE_SSL_FAILED:
      return tls
    case CURLE_COULDNT_CONNECT: return unconnected
    case CURLE_OUT_OF_MEMORY where isConnected:
      // libcurl reports this when a header line exceeds its buffer of 100 KiB.
      return tooLarge(.headersTooLarge(limit: options.maximumHeaderBytes))
    case CURLE_OUT_OF_MEMORY, CURLE_FAILED_INIT:
      return HTTPError(
        .internalFailure, "libcurl has no memory for the request to \(place)",
        hint: "free some memory")
    default: return broken
    }
  }

  private var unconnected: HTTPError {
    let number = Int32(luath_curl_get_long(easy, CURLINFO_OS_ERRNO))
    if number == ECONNREFUSED || number == 0 {
      return HTTPError(
        .connect, "nothing accepts connections at \(place)",
        hint: "start the server there, or check host and port")
    }
    return HTTPError(
      .connect, "cannot connect to \(place): \(SystemError(number).words)",
      hint: "check host, port and the network")
  }

  private var timedOut: HTTPError {
    guard isConnected else {
      let limit = min(options.connectTimeout, request.timeout)
      return HTTPError(
        .timedOut, "no connection to \(place) within \(seconds(limit))",
        hint: "check that the host is reachable from here")
    }
    return HTTPError(
      .timedOut, "\(place) did not finish its response within \(seconds(request.timeout))",
      hint: "allow more time, or check why the server is slow")
  }

  private var tls: HTTPError {
    if code == CURLE_SSL_CONNECT_ERROR {
      return HTTPError(
        .tls, "the TLS handshake with \(place) failed: \(lowered(text))",
        hint: "check that the server at the port uses https")
    }
    if code == CURLE_SSL_CACERT_BADFILE {
      return HTTPError(
        .tls, "the trusted certificates for \(place) cannot be read",
        hint: "check caFile of the target, CURL_CA_BUNDLE, SSL_CERT_FILE and SSL_CERT_DIR")
    }
    return HTTPError(
      .tls, "the certificate of \(place) is refused: \(lowered(text))", hint: certificateHint)
  }

  /// The hint by OpenSSL's verification result.
  ///
  /// libcurl compares the host name itself and leaves the result at 1 when only the name is wrong.
  private var certificateHint: String {
    switch luath_curl_get_long(easy, CURLINFO_SSL_VERIFYRESULT) {
    case 9, 10: "check this machine's clock; if it is right, the server needs a new certificate"
    case 0, 1: "another server listens there: check the address and the proxies"
    default:
      "put the issuing authority's certificate in a file, and name it in SSL_CERT_FILE or the target's caFile"
    }
  }

  private var broken: HTTPError {
    let status = luath_curl_get_long(easy, CURLINFO_HTTP_CONNECTCODE)
    if status != 0, status / 100 != 2 {
      return HTTPError(
        .connect, "the proxy refuses to connect to \(place) with status \(status)",
        hint: "check https_proxy and no_proxy in the environment")
    }
    switch code {
    case CURLE_GOT_NOTHING:
      return HTTPError(
        .broken, "\(place) closed the connection without a response",
        hint: "check the server's log, or send the request again")
    case CURLE_ABORTED_BY_CALLBACK:
      return HTTPError(
        .broken, "\(place) closed the connection before its response",
        hint: "it may have done what was asked: find out before you send the request again")
    case CURLE_OK, CURLE_PARTIAL_FILE:
      return HTTPError(
        .broken, "the response of \(place) ends too early",
        hint: "check the server's log, or send the request again")
    case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL:
      return HTTPError(
        .broken, "\(place) does not respond with HTTP",
        hint: "check that the port is a web server's"
      )
    default:
      return HTTPError(
        .broken, "the connection to \(place) broke during the exchange (libcurl \(code.rawValue))",
        hint: "check the server's log, or send the request again")
    }
  }

  private func tooLarge(_ refusal: ResponseReader.Refusal) -> HTTPError {
    switch refusal {
    case .headersTooLarge(let limit):
      HTTPError(
        .tooLarge, "the headers of the response of \(place) are larger than \(limit) bytes",
        hint: "check that this is the server you mean")
    case .bodyTooLarge(let limit):
      HTTPError(
        .tooLarge, "the body of the response of \(place) is larger than \(limit) bytes",
        hint: "request less, or allow a larger response")
    }
  }
}

extension HTTPError {
  /// The error of a request that timed out in the queue.
  static func tooManyWaiting(_ request: HTTPRequest, _ count: Int) -> HTTPError {
    HTTPError(
      .connect,
      "the request to \(request.url.place) was not sent: \(count) others wait for their turn",
      hint: "send fewer requests at the same time")
  }

  static func noTurn(_ request: HTTPRequest) -> HTTPError {
    HTTPError(
      .timedOut,
      "the request to \(request.url.place) waited \(seconds(request.timeout)) for its turn behind other requests",
      hint: "send fewer requests at the same time, or allow more time")
  }
}

/// Lowercases the first letter, as in our own messages, except in abbreviations.
private func lowered(_ text: String) -> String {
  guard !text.isEmpty else { return "no reason given" }
  let second = text.dropFirst().first
  let isWord = second.map { $0.isLowercase } ?? true
  return isWord ? text.prefix(1).lowercased() + text.dropFirst() : text
}

private func seconds(_ duration: Duration) -> String {
  let milliseconds = duration.wholeMilliseconds
  return milliseconds % 1000 == 0 ? "\(milliseconds / 1000) s" : "\(milliseconds) ms"
}
