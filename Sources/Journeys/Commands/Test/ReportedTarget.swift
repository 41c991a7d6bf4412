import Host
import IdentityToolkit
import Synchronization

/// The target of a run as reports name it; set when the first worker's target is created.
final class ReportedTarget: Sendable {
  private let target = Mutex(RunStart.Target(name: "", projectID: "", isEmulated: false))

  /// The target; empty until it is known.
  var now: RunStart.Target { target.withLock { $0 } }

  /// Records the target; an emulator that only the environment selects is named by its address.
  func note(
    _ place: ResolvedTarget, named name: String?, config: String?, _ environment: [String: String]
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
