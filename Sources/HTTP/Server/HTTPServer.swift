/// placeholder
public final class HTTPServer {
  var pollDescriptor: Int32 { -1 }
  var deadline: MonotonicTime? { nil }
  func mustRun(at now: MonotonicTime) -> Bool { false }
  func run() {}
  func stop() {}
}
