internal import Synchronization

/// Keeps what sign-ins showed, secrets taken out, in a folder for the person who looks for a fault.
///
/// Each sign-in has a folder of its own under this one, `001-microsoft.com`, with a file for each
/// page or picture and an `index.json`. What cannot be written is said once and then let be: a full
/// disk ends no sign-in.
public final class SignInTrace: Sendable {
  /// The folder; made when the first page comes.
  public let folder: String

  private let warn: (@Sendable (_ message: String, _ hint: String) -> Void)?
  private let hasFailed = Mutex(false)

  /// A trace in a folder that need not exist yet.
  ///
  /// - Parameter warn: takes what happened and what to do about it, at most once.
  public init(
    folder: String, warn: (@Sendable (_ message: String, _ hint: String) -> Void)? = nil
  ) {
    self.folder = folder
    self.warn = warn
  }

  /// Begins the record of one sign-in.
  public func begin(_ providerID: String) -> Run { Run(self, providerID) }

  /// Says once that the trace cannot be kept.
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
