internal import System

/// The projects of an emulator: the one it was started for, and others, each created at its first mention.
final class Projects {
  private let context: EmulatorContext
  private let network: Network
  private var projects: [ExactString: Project] = [:]
  /// The project of all API keys.
  let main: Project

  init(context: EmulatorContext, network: Network) {
    self.context = context
    self.network = network
    main = Project(
      id: context.configuration.id, context: context, network: network, isDefault: true)
    projects[ExactString(string: main.id)] = main
  }

  subscript(id: String) -> Project {
    let key = ExactString(string: id)
    if let project = projects[key] { return project }
    let project = Project(id: id, context: context, network: network, isDefault: false)
    projects[key] = project
    return project
  }

  var all: [Project] {
    projects.values.sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
  }
}
