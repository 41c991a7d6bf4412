internal import Synchronization

/// Saves the pages of sign-ins in a folder for debugging, with secrets removed.
///
/// Each sign-in has its own subfolder, such as `001-microsoft.com`, with a file per page or screenshot and an
/// `index.json`. Write errors are reported once and otherwise ignored, so that a full disk fails no sign-in.
public final class SignInTrace: Sendable {
  /// The folder; created with the first page.
  let folder: String

  private let warn: (@Sendable (_ message: String, _ hint: String) -> Void)?
  private let hasFailed = Mutex(false)

  /// Creates a trace in a folder, which need not exist yet.
  ///
  /// - Parameter warn: receives message and hint of the first write error.
  public init(
    folder: String, warn: (@Sendable (_ message: String, _ hint: String) -> Void)? = nil
  ) {
    self.folder = folder
    self.warn = warn
  }

  /// Begins the trace of one sign-in.
  func begin(_ providerID: String) -> Run { Run(self, providerID) }

  /// Reports the first write error.
  func failed(_ problem: PrivateFile.Problem) {
    let isFirst = hasFailed.withLock { failed in
      defer { failed = true }
      return !failed
    }
    guard isFirst else { return }
    warn?(
      "pages cannot be kept in \(folder): \(problem.words)",
      "sign-ins go on without; make room, or give --pages a folder that can be written")
  }
}
