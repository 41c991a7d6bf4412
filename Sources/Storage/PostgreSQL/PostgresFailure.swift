/// An error of a shared queue that ends the work of its user.
package struct QueueProblem: Error, Sendable {
  /// The kind of problem; it decides the exit code.
  package enum Code: Sendable {
    /// The command line does not fit the queue.
    case usage
    /// The server is not available.
    case unavailable
    /// Others use the queue, or have taken over what this process had.
    case inUse
  }

  package let code: Code
  /// What is wrong, without secrets.
  package let message: String
  /// What the user should do.
  package let hint: String

  package init(_ code: Code, _ message: String, hint: String) {
    self.code = code
    self.message = message
    self.hint = hint
  }
}

/// Why a statement or a connection failed.
package enum PostgresFailure: Error {
  /// The connection ended, or the server requests a retry; the outcome is unknown.
  case lost(QueueProblem)
  /// The statement cannot succeed, or not for this process.
  case refused(QueueProblem)

  package var problem: QueueProblem {
    switch self {
    case .lost(let problem), .refused(let problem): problem
    }
  }

  /// Classifies an error by its code (PostgreSQL, appendix A).
  init(state: String, message: String, at place: String, of use: QueueUse) {
    let text = "PostgreSQL at \(place): \(message)"
    switch state.prefix(2) {
    // Class 08 is connection exceptions; class 40 is transaction rollback, such as after a deadlock.
    case "08", "40": self = .lost(QueueProblem(.unavailable, text, hint: use.again))
    case "53":
      self = .refused(
        QueueProblem(
          .unavailable, text,
          hint:
            "give the server more disk space, memory or connections, then run the same command again"
        ))
    default:
      // The server was shut down, crashed, or is still starting.
      if ["57P01", "57P02", "57P03", "57P05"].contains(state) {
        self = .lost(QueueProblem(.unavailable, text, hint: use.again))
      } else if state == "42501" || state == "25006" {
        self = .refused(
          QueueProblem(
            .unavailable, text,
            hint: "give the user of --queue the right to create a schema and to write in it"))
      } else {
        self = .refused(QueueProblem(.unavailable, text, hint: use.again))
      }
    }
  }
}
