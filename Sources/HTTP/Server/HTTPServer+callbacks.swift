import CMicroHTTP
import CShims
import Glibc

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
