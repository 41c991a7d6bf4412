import Host


/// The control socket of a run.
///
/// If several processes in one folder share a run, one of them listens, and its commands go to all. When it ends,
/// another process takes over.
actor BatchListener {
  private let path: String?
  private let answer: @Sendable (String) async -> String
  private var socket: ControlSocket?
  private var waiting: Task<Void, Never>?

  /// How often to retry listening.
  private static let interval = Duration.seconds(2)

  /// - Parameter path: The path of the socket; nil to have none.
  init(path: String?, _ answer: @escaping @Sendable (String) async -> String) {
    self.path = path
    self.answer = answer
  }

  /// Starts listening, or waits until the process that shares the run and listens has ended.
  ///
  /// - Throws: If no socket can be created; the run can continue without it.
  func start(isShared: Bool) throws(BatchProblem) {
    guard let path else { return }
    do throws(BatchProblem) {
      socket = try ControlSocket(path: path, answer)
    } catch {
      guard isShared, error.code == .inUse else { throw error }
      waiting = Task {
        while socket == nil, (try? await Task.sleep(for: Self.interval)) != nil {
          socket = try? ControlSocket(path: path, answer)
        }
      }
    }
  }

  func stop() async {
    waiting?.cancel()
    await waiting?.value
    socket?.stop()
    socket = nil
  }
}
