import CMicroHTTP
import CShims
import Glibc

/// An HTTP/1.1 server on one address, on the thread of an event loop.
///
/// The handler runs on that thread, so an actor of the loop may assume its isolation there. A
/// server that is not stopped lives as long as its loop.
public final class HTTPServer {
  /// The port it listens on: the requested one, or the free one it got.
  public let port: UInt16

  let loop: EventLoop
  let limits: ServerLimits
  let handler: @Sendable (HTTPRequest) -> Answer
  /// Whether the handler also gets requests whose body cannot be decoded.
  let passesBodyFaults: Bool
  let answers: LoopActor
  var hosts: HostRule

  private var daemon: OpaquePointer?
  private(set) var pollDescriptor: Int32 = -1
  /// When libmicrohttpd must run even if no socket is ready.
  private(set) var deadline: MonotonicTime?
  private var isRunning = false
  /// The open connections with their deadlines.
  var connections: ConnectionTable
  /// The total size of request bodies in memory.
  var heldBodyBytes = 0
  /// Whether libmicrohttpd made a callback in its last run, and how many runs in a row did not.
  var isActive = false
  private var idleTurns = 0
  private var hasRoomAgain = false
  private(set) var isStopping = false
  /// The streamed responses, by socket.
  var streams: [Int32: ServerStream] = [:]
  /// The exchanges with an asynchronous response, by identity.
  private var suspended: [ObjectIdentifier: ServerExchange] = [:]

  /// Starts listening.
  ///
  /// Call it on the loop's thread or before the loop runs.
  ///
  /// The address is an IPv4 or IPv6 address of this machine. `0.0.0.0` and `::` mean all of them,
  /// and other machines can then reach the server. Requests with a Host header that is not allowed
  /// get status 403. With `passesBodyFaults` the handler also gets requests whose body cannot be
  /// decoded; otherwise the server rejects them.
  public init(
    loop: EventLoop, address: String = "127.0.0.1", port: UInt16 = 0,
    limits: ServerLimits = ServerLimits(), hosts: AllowedHosts = .loopback(),
    passesBodyFaults: Bool = false,
    handler: @escaping @Sendable (HTTPRequest) -> Answer
  ) throws(HTTPError) {
    loop.requireThread()
    guard !loop.isClosed else {
      throw HTTPError(
        .cancelled, "the event loop \(loop.name) has stopped", hint: "start servers before that")
    }
    var boundPort = port
    let socket = luath_server_listen(address, &boundPort, 1024)
    guard socket >= 0 else { throw Self.refusal(address: address, port: port, number: errno) }

    self.loop = loop
    self.limits = limits
    self.handler = handler
    self.passesBodyFaults = passesBodyFaults
    self.port = boundPort
    answers = LoopActor(loop)
    self.hosts = HostRule(hosts)

    let room = luath_socket_room(UInt32(clamping: limits.connections + Self.spareConnections))
    let capacity = max(Int(room) - Self.spareConnections, 1)
    connections = ConnectionTable(limits: limits, capacity: capacity)
    let memory = luath_server_limits(
      connections: room,
      idle_seconds: UInt32(clamping: max(limits.idleTimeout.components.seconds, 1)),
      // The memory of a connection also contains the head of the response.
      connection_memory: limits.headerBytes + (12 << 10))
    let context = Unmanaged.passUnretained(self).toOpaque()
    guard
      let daemon = luath_server_start(
        socket, memory, context, targetArrived, requestArrived, requestCompleted,
        connectionChanged)
    else {
      close(socket)
      throw HTTPError(
        .internalFailure, "libmicrohttpd cannot start on port \(boundPort)",
        hint: "raise the limit of open files (ulimit -n)")
    }
    self.daemon = daemon
    pollDescriptor = luath_server_poll(daemon)
    guard loop.poller.watchServer(pollDescriptor) else {
      MHD_stop_daemon(daemon)
      throw HTTPError(
        .internalFailure, "the event loop cannot watch port \(boundPort)",
        hint: "raise the limit of open files (ulimit -n)")
    }
    loop.servers.append(self)
  }

  /// Extra connections above the limit, while others are being closed for them.
  private static let spareConnections = 32

  /// Closes the port and every connection; pending exchanges get status 503.
  ///
  /// Call it on the loop's thread; more than once is allowed.
  public func stop() {
    loop.requireThread()
    isStopping = true
    // Inside a handler libmicrohttpd is running; `run` then stops it afterwards.
    guard !isRunning, let daemon else { return }
    for exchange in suspended.values { exchange.resume(.stopping) }
    for stream in streams.values { stream.close() }
    sendLastAnswers(daemon)
    loop.poller.forget(pollDescriptor)
    loop.servers.removeAll { $0 === self }
    self.daemon = nil
    deadline = nil
    MHD_stop_daemon(daemon)
  }

  /// Sends responses that clients accept without delay.
  private func sendLastAnswers(_ daemon: OpaquePointer) {
    isRunning = true
    defer { isRunning = false }
    let end = MonotonicTime.now.advanced(by: .milliseconds(200))
    var milliseconds: CUnsignedLongLong = 0
    repeat {
      MHD_run(daemon)
      guard MHD_get_timeout(daemon, &milliseconds) == .YES, milliseconds == 0 else { return }
    } while MonotonicTime.now < end
  }

  // MARK: Called by the loop

  func mustRun(at now: MonotonicTime) -> Bool {
    guard let deadline else { return false }
    return deadline <= now
  }

  func run() {
    guard let daemon, !isRunning else { return }
    isRunning = true
    connections.check(at: .now)
    isActive = false
    MHD_run(daemon)
    isRunning = false
    if isStopping { return stop() }
    if hasRoomAgain {
      hasRoomAgain = false
      return runSoon()
    }
    var milliseconds: CUnsignedLongLong = 0
    let hasTimeout = MHD_get_timeout(daemon, &milliseconds) == .YES
    let wanted =
      hasTimeout ? MonotonicTime.now.advanced(by: .milliseconds(milliseconds)) : nil
    let check = connections.nextCheck
    deadline = [wanted, check].compactMap(\.self).min()
    idleTurns = hasTimeout && milliseconds == 0 && !isActive ? idleTurns + 1 : 0
    guard idleTurns > 100 else { return }
    idleTurns = 0
    connections.endStuck()
  }

  /// Schedules a run for work that no socket reports.
  func runSoon() { deadline = MonotonicTime(nanoseconds: 0) }

  /// At the limit libmicrohttpd stops accepting, and resumes only in its next run.
  func connectionClosed() { hasRoomAgain = true }

  func suspend(_ exchange: ServerExchange) { suspended[ObjectIdentifier(exchange)] = exchange }

  func resumed(_ exchange: ServerExchange) {
    suspended[ObjectIdentifier(exchange)] = nil
    runSoon()
  }

  private static func refusal(address: String, port: UInt16, number: Int32) -> HTTPError {
    switch number {
    case EINVAL:
      HTTPError(
        .unsupported, "\(address) is not an address to listen on",
        hint: "give an IPv4 or IPv6 address, such as 127.0.0.1, 0.0.0.0 or ::1")
    case EADDRNOTAVAIL, EAFNOSUPPORT:
      HTTPError(
        .unsupported, "this machine has no address \(address)",
        hint: "choose one of its addresses, or 0.0.0.0 for all of them")
    case EADDRINUSE:
      HTTPError(
        .portInUse, "port \(port) is taken by another process",
        hint: "choose another port, or 0 for a free one")
    case EACCES:
      HTTPError(
        .portReserved, "port \(port) is reserved for the administrator",
        hint: "choose a port above 1023, or 0 for a free one")
    default:
      HTTPError(
        .internalFailure, "cannot listen on port \(port) of \(address)",
        hint: "check the limit of open files (ulimit -n) and the network settings")
    }
  }
}

// libmicrohttpd calls these inside MHD_run and MHD_stop_daemon, on the loop's thread. An exchange
// is retained from its request line until it is completed.

func targetArrived(
  server: UnsafeMutableRawPointer?, target: UnsafePointer<CChar>?, connection: OpaquePointer?
) -> UnsafeMutableRawPointer? {
  guard let server, let target, let connection else { return nil }
  let owner = Unmanaged<HTTPServer>.fromOpaque(server).takeUnretainedValue()
  owner.isActive = true
  let text = UnsafeRawBufferPointer(start: target, count: strlen(target))
  let exchange = ServerExchange(
    server: owner, target: RequestTarget(text.assumingMemoryBound(to: UInt8.self)),
    targetSize: text.count, connection: connection)
  luath_server_hide_query(target)
  return Unmanaged.passRetained(exchange).toOpaque()
}

func requestArrived(
  server: UnsafeMutableRawPointer?, connection: OpaquePointer?, url: UnsafePointer<CChar>?,
  method: UnsafePointer<CChar>?, version: UnsafePointer<CChar>?, piece: UnsafePointer<CChar>?,
  pieceSize: UnsafeMutablePointer<Int>?,
  context: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
  guard let exchange = context?.pointee, let method, let pieceSize else { return .NO }
  let count = pieceSize.pointee
  pieceSize.pointee = 0
  let bytes = UnsafeRawBufferPointer(start: piece, count: piece == nil ? 0 : count)
  return Unmanaged<ServerExchange>.fromOpaque(exchange).takeUnretainedValue()
    .proceed(method: method, piece: bytes.assumingMemoryBound(to: UInt8.self))
}

func requestCompleted(
  server: UnsafeMutableRawPointer?, connection: OpaquePointer?,
  context: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, reason: MHD_RequestTerminationCode
) {
  guard let exchange = context?.pointee else { return }
  context?.pointee = nil
  Unmanaged<ServerExchange>.fromOpaque(exchange).takeRetainedValue().completed()
}

func connectionChanged(
  server: UnsafeMutableRawPointer?, connection: OpaquePointer?,
  context: UnsafeMutablePointer<UnsafeMutableRawPointer?>?, change: MHD_ConnectionNotificationCode
) {
  guard let server, let connection else { return }
  let owner = Unmanaged<HTTPServer>.fromOpaque(server).takeUnretainedValue()
  switch change {
  case .CONNECTION_NOTIFY_STARTED:
    owner.connections.opened(connection)
    // Closing the socket also ends the watch.
    owner.loop.poller.watchEnd(luath_server_socket(connection))
  default:
    owner.connections.closed(connection)
    owner.connectionClosed()
  }
}

/// The limits of a server.
public struct ServerLimits: Sendable {
  /// The approximate maximum of request line and headers in bytes; more gets status 431.
  var headerBytes: Int

  /// The maximum request body in bytes, also after decompression; more gets status 413.
  var bodyBytes: Int

  /// The maximum of all bodies in memory at once, in bytes; more gets status 503.
  var totalBodyBytes: Int

  /// The maximum of open connections; a further one closes the one that kept the server waiting longest.
  var connections: Int

  /// How long a connection may be silent before it is closed, in whole seconds.
  var idleTimeout: Duration

  /// The time limit for the head of a request.
  var headTimeout: Duration

  /// The time limit for a body, plus one second for each `slowestBody` bytes.
  var bodyTimeout: Duration

  /// The minimum rate of a body in bytes per second.
  let slowestBody = 64 << 10

  /// The maximum of buffered bytes of a streamed response; above it the client is disconnected.
  var streamBytes: Int

  /// Creates limits; the defaults suit a server for one machine.
  public init(
    headerBytes: Int = 20 << 10, bodyBytes: Int = 10 << 20,
    totalBodyBytes: Int = 1 << 30, connections: Int = 1024, idleTimeout: Duration = .seconds(30),
    headTimeout: Duration = .seconds(30), bodyTimeout: Duration = .seconds(60),
    streamBytes: Int = 1 << 20
  ) {
    self.headerBytes = headerBytes
    self.bodyBytes = bodyBytes
    self.totalBodyBytes = totalBodyBytes
    self.connections = connections
    self.idleTimeout = idleTimeout
    self.headTimeout = headTimeout
    self.bodyTimeout = bodyTimeout
    self.streamBytes = streamBytes
  }
}
