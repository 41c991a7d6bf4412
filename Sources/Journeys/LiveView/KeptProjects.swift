import Emulator
import HTTP
import Synchronization
import System

/// The emulated projects of the journeys that ran last, which stay alive until the live view ends.
///
/// Journeys of a worker share an emulator, one after the other. Before the next journey begins, the project of the
/// last one moves to a separate emulator, which listens only when a page asks for its address.
final class KeptProjects: Sendable {
  /// The maximum number of projects; the oldest are dropped first.
  static let most = 50

  fileprivate struct Project {
    let journey: String
    /// The emulator that has the project now.
    var emulator: Emulator
    /// The worker's emulator, on whose loop the other one runs.
    let home: Emulator
  }

  fileprivate struct State {
    /// The oldest first.
    var projects: [Project] = []
    /// The journey whose project a worker's emulator has.
    var current: [ObjectIdentifier: String] = [:]
    /// The emulators whose workers have ended.
    var abandoned: [Emulator] = []
  }

  private let state = Mutex(State())
  private let log: LiveLog

  init(_ log: LiveLog) { self.log = log }

  /// Makes a fresh project for a journey on its worker's emulator, and keeps that of the journey before.
  ///
  /// - Parameter chance: See `Emulator.renew`.
  func renew(_ emulator: Emulator, for journey: String, chance: UInt64) async {
    let last = state.withLock { $0.current[ObjectIdentifier(emulator)] }
    if let last, last != journey, let other = try? await emulator.part(chance: chance) {
      state.withLock { state in
        let index = state.projects.firstIndex { $0.journey == last && $0.home === emulator }
        if let index { state.projects[index].emulator = other }
      }
    } else {
      await emulator.renew(chance: chance)
    }
    await drop { state in
      state.current[ObjectIdentifier(emulator)] = journey
      var dropped = state.remove { $0.journey == journey }
      state.projects.append(Project(journey: journey, emulator: emulator, home: emulator))
      let excess = state.projects.count - Self.most
      if excess > 0 {
        let oldest = Set(state.projects.prefix(excess).map(\.journey))
        dropped += state.remove { oldest.contains($0.journey) }
      }
      return dropped
    }
  }

  /// Called instead of `stop` when a worker has ended: its emulator lives as long as one of its projects.
  func leave(_ emulator: Emulator) async {
    await drop { state in
      state.current[ObjectIdentifier(emulator)] = nil
      state.abandoned.append(emulator)
      return []
    }
  }

  /// The address of a journey's project on the emulator's dashboard; nil when it is no longer kept.
  func address(of journey: String) async -> String? {
    let project = state.withLock { $0.projects.last { $0.journey == journey } }
    guard let emulator = project?.emulator, let port = try? await emulator.start() else {
      return nil
    }
    return "http://127.0.0.1:\(port)/emulator/ui"
  }

  /// Ends all of them.
  func stop() async {
    await drop { $0.remove { _ in true } }
  }

  /// Changes the state and stops the emulators that nothing needs any more.
  private func drop(_ change: (inout State) -> [Project]) async {
    let (dropped, homes, journeys) = state.withLock { state in
      let dropped = change(&state)
      let needed = Set(state.projects.map { ObjectIdentifier($0.home) })
      let homes = state.abandoned.filter { !needed.contains(ObjectIdentifier($0)) }
      state.abandoned.removeAll { !needed.contains(ObjectIdentifier($0)) }
      return (dropped, homes, state.projects.map(\.journey))
    }
    log.post("projects", .array(journeys.map(JSON.string)))
    // The others first, because they run on a home's loop.
    for project in dropped where project.emulator !== project.home {
      await project.emulator.stop()
    }
    for home in homes { await home.stop() }
  }
}

extension KeptProjects.State {
  /// Removes projects and returns them.
  fileprivate mutating func remove(
    _ isWanted: (KeptProjects.Project) -> Bool
  ) -> [KeptProjects.Project] {
    let removed = projects.filter(isWanted)
    projects.removeAll(where: isWanted)
    return removed
  }
}
