import CCurl
import CShims
import Glibc

/// A libcurl easy handle with its buffers, reused for many requests.
final class Transfer {
  let easy: UnsafeMutableRawPointer
  private let options: ClientOptions
  private let errorText: UnsafeMutablePointer<CChar>

  // Set while the transfer runs; `clear` releases them.
  private(set) var lane: TransferLane?
  var index = 0
  private(set) var exchange: Exchange?
  private var started = MonotonicTime.now
  private var reader = ResponseReader()
  private var attempts = 0
  private var attempted = MonotonicTime.now
  private var sizeBefore = 0

  // The current options of the handle, to set only what changes.
  private var headerLines: UnsafeMutablePointer<curl_slist>?
  private var placeLines: UnsafeMutablePointer<curl_slist>?
  private var headersInUse: HTTPHeaders?
  private var hidesDefaults = false
  private var urlInUse: WebURL?
  private var timeoutInUse = 0
  private var largestInUse = 0
  private var reportsSockets = false
  // The default of a new handle is GET.
  private var isPlainGet = true
  private var isDirect = false
  private var waitsForMultiplexing = false
  private var mayMultiplex = true

  init(_ options: ClientOptions) throws(HTTPError) {
    guard let easy = curl_easy_init() else {
      throw HTTPError(
        .internalFailure, "libcurl has no memory for a transfer", hint: "free some memory")
    }
    self.easy = easy
    self.options = options
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    let context = Unmanaged.passUnretained(self).toOpaque()
    luath_curl_set_pointer(easy, CURLOPT_PRIVATE, context)
    luath_curl_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
    luath_curl_set_body_sink(easy, bodySink, context)
    luath_curl_set_header_sink(easy, headerSink, context)
    luath_curl_set_attempt_check(easy, attemptCheck, context)
    luath_curl_set_long(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    luath_curl_set_long(easy, CURLOPT_NOSIGNAL, 1)
    // Otherwise, ending a transfer during its DNS lookup would block the loop until the lookup ends.
    luath_curl_set_long(easy, CURLOPT_QUICK_EXIT, 1)
    luath_curl_set_pointer(easy, CURLOPT_PROTOCOLS_STR, "http,https")
    luath_curl_set_long(easy, CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
    luath_curl_set_long(easy, CURLOPT_PATH_AS_IS, 1)
    luath_curl_set_pointer(easy, CURLOPT_USERAGENT, options.userAgent)
    luath_curl_set_long(
      easy, CURLOPT_CONNECTTIMEOUT_MS, options.connectTimeout.wholeMilliseconds)
    if let file = options.certificateFile { luath_curl_set_pointer(easy, CURLOPT_CAINFO, file) }
    if let directory = options.certificateDirectory {
      luath_curl_set_pointer(easy, CURLOPT_CAPATH, directory)
    }
    for (host, place) in options.places {
      placeLines = curl_slist_append(placeLines, "\(host)::\(place)")
    }
    if let placeLines { luath_curl_set_pointer(easy, CURLOPT_CONNECT_TO, placeLines) }
  }

  deinit {
    curl_easy_cleanup(easy)
    curl_slist_free_all(headerLines)
    curl_slist_free_all(placeLines)
    errorText.deallocate()
  }

  // MARK: Before the transfer

  /// Sets the lane for the next request; all lanes of a handle belong to one loop.
  func join(_ lane: TransferLane, _ sockets: WatchedSockets) {
    self.lane = lane
    guard !reportsSockets else { return }
    reportsSockets = true
    luath_curl_set_socket_reports(
      easy, socketOpened, closeSocket, Unmanaged.passUnretained(sockets).toOpaque())
  }

  /// Sets all options of the handle for a request.
  func prepare(_ exchange: Exchange) throws(HTTPError) {
    let request = exchange.request
    // When a server closes an HTTP/2 connection, some of its requests were processed and others
    // not, and libcurl does not report which. In HTTP/1.1, the response before shows it.
    if mayMultiplex != Self.isIdempotent(request.method) {
      mayMultiplex.toggle()
      luath_curl_set_long(
        easy, CURLOPT_HTTP_VERSION,
        Int(mayMultiplex ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1))
    }
    if request.url.scheme == "http", options.secureHosts.contains(request.url.hostWithoutRoot) {
      throw HTTPError(
        .tls, "\(request.url.place) is not called without TLS",
        hint: "write https:// instead of http://")
    }
    try prepareMethod(request)
    try prepareHeaders(request)
    if request.url != urlInUse { prepareURL(request.url) }
    let limit = exchange.timeLeft.wholeMilliseconds
    if limit != timeoutInUse {
      luath_curl_set_long(easy, CURLOPT_TIMEOUT_MS, limit)
      timeoutInUse = limit
    }
    // A HEAD response has the length of a body that is not sent.
    let largest = request.method == "HEAD" ? 0 : request.maximumResponseBytes
    if largest != largestInUse {
      luath_curl_set_offset(easy, CURLOPT_MAXFILESIZE_LARGE, curl_off_t(largest))
      largestInUse = largest
    }
    errorText.pointee = 0
    reader.start(
      maximumBodyBytes: request.maximumResponseBytes,
      maximumHeaderBytes: options.maximumHeaderBytes)
    self.exchange = exchange
    attempts = 0
    started = .now
  }

  private func prepareURL(_ url: WebURL) {
    luath_curl_set_pointer(easy, CURLOPT_URL, url.with(fragment: nil).description)
    urlInUse = url
    if isDirect != (url.isLoopback || options.places[url.host] != nil) {
      isDirect.toggle()
      // NULL restores the environment's proxy variables, including NO_PROXY.
      if isDirect {
        luath_curl_set_pointer(easy, CURLOPT_NOPROXY, "*")
      } else {
        luath_curl_set_pointer(easy, CURLOPT_NOPROXY, nil)
      }
    }
    let isTLS = url.scheme == "https"
    if waitsForMultiplexing != isTLS {
      waitsForMultiplexing = isTLS
      luath_curl_set_long(easy, CURLOPT_PIPEWAIT, isTLS ? 1 : 0)
    }
  }

  private func prepareMethod(_ request: HTTPRequest) throws(HTTPError) {
    let method = request.method
    if method == "GET", request.body.isEmpty {
      if isPlainGet { return }
      luath_curl_set_long(easy, CURLOPT_HTTPGET, 1)
      luath_curl_set_pointer(easy, CURLOPT_CUSTOMREQUEST, nil)
      isPlainGet = true
      return
    }
    isPlainGet = false
    guard isToken(method) else {
      throw HTTPError(
        .unsupported, "the method of a request to \(request.url.place) is not one word",
        hint: "use GET, POST, PUT, PATCH, DELETE, HEAD or OPTIONS")
    }
    let ownMethod: String
    if method == "HEAD" {
      luath_curl_set_long(easy, CURLOPT_NOBODY, 1)
      ownMethod = method
    } else if request.body.isEmpty, method != "POST", method != "PUT", method != "PATCH" {
      luath_curl_set_long(easy, CURLOPT_HTTPGET, 1)
      ownMethod = "GET"
    } else {
      luath_curl_set_long(easy, CURLOPT_POST, 1)
      luath_curl_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(request.body.count))
      request.body.withUnsafeBytes { bytes in
        // An empty array has no address, and with NULL libcurl would read a stream.
        if let start = bytes.baseAddress {
          _ = luath_curl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, start)
        } else {
          _ = luath_curl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, "")
        }
      }
      ownMethod = "POST"
    }
    if method == ownMethod {
      luath_curl_set_pointer(easy, CURLOPT_CUSTOMREQUEST, nil)
    } else {
      luath_curl_set_pointer(easy, CURLOPT_CUSTOMREQUEST, method)
    }
  }

  private func prepareHeaders(_ request: HTTPRequest) throws(HTTPError) {
    // For a request with a body, libcurl adds a form Content-Type and "Expect: 100-continue" by default.
    let hidesDefaults = !isPlainGet
    if hidesDefaults == self.hidesDefaults, headersInUse == request.headers { return }
    var lines: UnsafeMutablePointer<curl_slist>?
    if hidesDefaults {
      lines = curl_slist_append(lines, "Expect:")
      if request.headers["Content-Type"] == nil {
        lines = curl_slist_append(lines, "Content-Type:")
      }
    }
    for field in request.headers.fields {
      guard isToken(field.name), !field.value.utf8.contains(where: { $0 < 0x20 && $0 != 9 }) else {
        curl_slist_free_all(lines)
        throw HTTPError(
          .unsupported, "a header of a request to \(request.url.place) holds a control character",
          hint: "take line breaks out of header names and values")
      }
      // libcurl sets the length itself; a second one could make two servers disagree on it.
      if isSameName(field.name, "Content-Length") || isSameName(field.name, "Transfer-Encoding") {
        continue
      }
      // "Name;" makes libcurl send a header without a value.
      lines = curl_slist_append(
        lines, field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)")
    }
    luath_curl_set_pointer(easy, CURLOPT_HTTPHEADER, lines)
    curl_slist_free_all(headerLines)
    headerLines = lines
    headersInUse = request.headers
    self.hidesDefaults = hidesDefaults
  }

  // MARK: During and after the transfer

  /// Whether libcurl may send the request now; called before every attempt.
  ///
  /// libcurl retries when a reused connection closes before the first byte of the response. The
  /// server may have processed the request anyway, so only idempotent requests (RFC 9110 section
  /// 9.2.2), or requests of which nothing was sent, are retried.
  fileprivate func mayBegin() -> Bool {
    let size = luath_curl_get_long(easy, CURLINFO_REQUEST_SIZE)
    attempts += 1
    attempted = .now
    if attempts == 1 { sizeBefore = size }
    guard attempts > 1, size > sizeBefore else { return true }
    return exchange.map { Self.isIdempotent($0.request.method) } ?? false
  }

  private static func isIdempotent(_ method: String) -> Bool {
    switch method {
    case "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE": true
    default: false
    }
  }

  fileprivate func takeHeader(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    reader.takeHeader(bytes)
  }

  fileprivate func takeBody(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool { reader.takeBody(bytes) }

  func result(_ code: CURLcode) -> Result<HTTPResponse, HTTPError> {
    guard let exchange else {
      preconditionFailure("a transfer is done that was never started")
    }
    let request = exchange.request
    // libcurl accepts a response that ends within its headers; we do not.
    guard code == CURLE_OK, reader.isPastHeaders else {
      return .failure(
        TransferFailure(
          easy: easy, code: code, request: request, options: options, refusal: reader.refusal,
          text: String(cString: errorText)
        ).error)
    }
    let protocolName =
      switch luath_curl_get_long(easy, CURLINFO_HTTP_VERSION) {
      case CURL_HTTP_VERSION_1_0: "HTTP/1.0"
      case CURL_HTTP_VERSION_2_0: "HTTP/2"
      default: "HTTP/1.1"
      }
    return .success(
      HTTPResponse(
        status: reader.status, headers: reader.headers, body: reader.body, url: request.url,
        protocolName: protocolName, duration: exchange.submitted.duration(to: .now),
        timings: timings(after: exchange.waited)))
  }

  /// Returns how long each phase took, after a wait in the queue.
  ///
  /// libcurl reports when each phase ended, counted from the start of the transfer. A phase that did not happen
  /// ends with the one before, and TLS at 0. `PRETRANSFER` is when the first write returned. On Linux this is
  /// often after the server has responded, because the write wakes the server and the scheduler runs it first.
  /// Everything between the connection and the first byte of the response therefore counts as waiting.
  private func timings(after waited: Duration?) -> HTTPTimings {
    let begun = Int((attempted.nanoseconds - started.nanoseconds) / 1000)
    let written = luath_curl_get_offset(easy, CURLINFO_PRETRANSFER_TIME_T)
    let ready = max(0, min(begun, written))
    let answered = max(ready, luath_curl_get_offset(easy, CURLINFO_STARTTRANSFER_TIME_T))
    let ended = max(answered, luath_curl_get_offset(easy, CURLINFO_TOTAL_TIME_T))
    var timings = HTTPTimings(
      blocked: waited.map { Int($0.wholeNanoseconds / 1000) }, wait: answered - ready,
      receive: ended - answered)
    guard luath_curl_get_long(easy, CURLINFO_NUM_CONNECTS) > 0 else {
      timings.blocked = (timings.blocked ?? 0) + ready
      return timings
    }
    let resolved = luath_curl_get_offset(easy, CURLINFO_NAMELOOKUP_TIME_T)
    let connected = max(resolved, luath_curl_get_offset(easy, CURLINFO_CONNECT_TIME_T))
    let secured = luath_curl_get_offset(easy, CURLINFO_APPCONNECT_TIME_T)
    timings.nameLookup = resolved
    timings.connect = connected - resolved
    if secured > 0 { timings.tls = max(0, secured - connected) }
    return timings
  }

  /// Releases the request, so that passwords and tasks do not outlive it.
  func clear() {
    if let exchange, !exchange.request.body.isEmpty {
      luath_curl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, nil)
    }
    exchange = nil
    lane = nil
    reader.clear()
  }
}

// libcurl reports the sockets of connections, which outlive the transfers that opened them.

private func socketOpened(
  context: UnsafeMutableRawPointer?, socket: Int32, purpose: curlsocktype
) -> Int32 {
  if let context {
    Unmanaged<WatchedSockets>.fromOpaque(context).takeUnretainedValue().opened(socket)
  }
  return CURL_SOCKOPT_OK
}

private func closeSocket(context: UnsafeMutableRawPointer?, socket: Int32) -> Int32 {
  if let context {
    Unmanaged<WatchedSockets>.fromOpaque(context).takeUnretainedValue().closing(socket)
  }
  return close(socket)
}

// libcurl calls these on the loop's thread; returning another count than `size * count` ends the transfer.

private func headerSink(
  bytes: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
  guard let context, let bytes else { return 0 }
  let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
  return bytes.withMemoryRebound(to: UInt8.self, capacity: size * count) {
    transfer.takeHeader(UnsafeBufferPointer(start: $0, count: size * count)) ? size * count : 0
  }
}

private func bodySink(
  bytes: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
  guard let context, let bytes else { return 0 }
  let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
  return bytes.withMemoryRebound(to: UInt8.self, capacity: size * count) {
    transfer.takeBody(UnsafeBufferPointer(start: $0, count: size * count)) ? size * count : 0
  }
}

private func attemptCheck(
  context: UnsafeMutableRawPointer?, remote: UnsafeMutablePointer<CChar>?,
  local: UnsafeMutablePointer<CChar>?, remotePort: Int32, localPort: Int32
) -> Int32 {
  guard let context else { return CURL_PREREQFUNC_OK }
  let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
  return transfer.mayBegin() ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}

/// Whether a text is a token (RFC 9110 section 5.6.2), as methods and header names are.
private func isToken(_ text: String) -> Bool {
  !text.isEmpty
    && text.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x5E...0x7A, 0x7C, 0x7E, 0x21, 0x23...0x27, 0x2A, 0x2B, 0x2D,
        0x2E:
        true
      default: false
      }
    }
}
