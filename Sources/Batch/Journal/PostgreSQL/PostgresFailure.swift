enum PostgresFailure: Error {
  /// The connection ended, or the server requests a retry; the outcome is unknown.
  case lost(BatchProblem)
  /// The statement cannot succeed, or not for this process.
  case refused(BatchProblem)

  var problem: BatchProblem {
    switch self {
    case .lost(let problem), .refused(let problem): problem
    }
  }

  /// Classifies an error by its code (PostgreSQL, appendix A).
  init(state: String, message: String, at place: String) {
    let text = "PostgreSQL at \(place): \(message)"
    switch state.prefix(2) {
    // Class 08 is connection exceptions; class 40 is transaction rollback, such as after a deadlock.
    case "08", "40": self = .lost(BatchProblem(.unavailable, text, hint: Self.again))
    case "53":
      self = .refused(
        BatchProblem(
          .unavailable, text,
          hint:
            "give the server room (disk, memory or connections), then run the same command again"))
    default:
      // The server was shut down, crashed, or is still starting.
      if ["57P01", "57P02", "57P03", "57P05"].contains(state) {
        self = .lost(BatchProblem(.unavailable, text, hint: Self.again))
      } else if state == "42501" || state == "25006" {
        self = .refused(
          BatchProblem(
            .unavailable, text,
            hint: "give the user of --queue the right to create a schema and to write in it"))
      } else {
        self = .refused(BatchProblem(.unavailable, text, hint: Self.again))
      }
    }
  }

  static let again = "when the server is well, run the same command again: it goes on where it was"
}
