import IdentityToolkit
import Runner
import Synchronization

/// What reports call the target of a run: that which its workers were given.
final class ReportedTarget: Sendable {
  private let target = Mutex(RunStart.Target(name: "", projectID: "", isEmulated: false))

  /// What is known of it; empty before there is a place.
  var now: RunStart.Target { target.withLock { $0 } }

  /// Keeps what a place turned out to be; an emulator that only the environment names is called by
  /// its address.
  func note(
    _ place: Place, named name: String?, config: String?, _ environment: [String: String]
  ) {
    let other = name ?? environment["FIREBASE_AUTH_EMULATOR_HOST"] ?? ""
    let words =
      if config != nil {
        ProjectFile.firebase
      } else if place.emulator != nil {
        ProjectFile.emulator
      } else {
        other
      }
    let found = RunStart.Target(
      name: words, projectID: place.target.projectID, isEmulated: place.target.isEmulated)
    target.withLock { $0 = found }
  }
}
