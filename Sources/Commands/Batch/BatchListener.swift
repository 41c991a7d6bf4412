import Batch

/// Where a person reaches a run.
///
/// Of several processes in one folder that share a run one listens, and what it is told all are told. When it
/// ends, another one does.
actor BatchListener {
  private let path: String?
  private let answer: @Sendable (String) async -> String
  private var socket: ControlSocket?
  private var waiting: Task<Void, Never>?

  /// How often it is looked whether the place is free.
  private static let interval = Duration.seconds(2)

  /// - Parameter path: Where it listens; nil where it does not.
  init(path: String?, _ answer: @escaping @Sendable (String) async -> String) {
    self.path = path
    self.answer = answer
  }

  /// Listens, or waits for its turn where others who share the run do.
  ///
  /// - Throws: Why nobody can reach the run; it can go on without.
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

  /// Listens no more.
  func stop() async {
    waiting?.cancel()
    await waiting?.value
    socket?.stop()
    socket = nil
  }
}
