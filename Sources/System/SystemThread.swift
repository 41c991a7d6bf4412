import CShims
import Glibc

/// Starts threads of the system, for work that blocks.
public enum SystemThread {
  private final class Start {
    let name: String?
    let body: @Sendable () -> Void

    init(_ name: String?, _ body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }

  /// Runs a closure on a new thread.
  ///
  /// - Parameters:
  ///   - name: Shown by debuggers, cut to 15 bytes; by default the name of the process.
  ///   - stackBytes: The size of the stack; by default the system's.
  ///   - isJoinable: Whether the caller joins the thread, which otherwise ends by itself.
  /// - Returns: The `pthread_t` of the thread.
  /// - Throws: Why the system refused the thread.
  @discardableResult
  public static func start(
    name: String? = nil, stackBytes: Int? = nil, isJoinable: Bool = false,
    _ body: @escaping @Sendable () -> Void
  ) throws(SystemError) -> UInt {
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    defer { pthread_attr_destroy(&attributes) }
    if let stackBytes { pthread_attr_setstacksize(&attributes, stackBytes) }
    if !isJoinable { pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED)) }
    let start = Unmanaged.passRetained(Start(name, body))
    var thread = pthread_t()
    let status = pthread_create(
      &thread, &attributes,
      { context in
        guard let context else { return nil }
        let start = Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
        // Linux rejects longer names.
        if let name = start.name {
          luath_name_thread(String(decoding: name.utf8.prefix(15), as: UTF8.self))
        }
        start.body()
        return nil
      }, start.toOpaque())
    guard status == 0 else {
      start.release()
      throw SystemError(status)
    }
    return thread
  }
}
