internal import Encoding

/// The projects of an emulator: the one it was started for, and others, each created at its first mention.
final class Projects {
  private let site: Site
  private let network: Network
  private var projects: [ExactString: Project] = [:]
  /// The project of all API keys.
  let main: Project

  init(site: Site, network: Network) {
    self.site = site
    self.network = network
    main = Project(id: site.configuration.id, site: site, network: network, isDefault: true)
    projects[ExactString(string: main.id)] = main
  }

  subscript(id: String) -> Project {
    let key = ExactString(string: id)
    if let project = projects[key] { return project }
    let project = Project(id: id, site: site, network: network, isDefault: false)
    projects[key] = project
    return project
  }

  var all: [Project] {
    projects.values.sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
  }
}
