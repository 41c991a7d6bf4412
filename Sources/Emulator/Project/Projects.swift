internal import Encoding

/// The projects of an emulator: the one it was started for, and any other from its first mention on.
final class Projects {
  private let site: Site
  private let network: Network
  private var projects: [ExactString: Project] = [:]
  /// The project every API key belongs to.
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

  /// All projects, by id.
  var all: [Project] {
    projects.values.sorted { $0.id.utf8.lexicographicallyPrecedes($1.id.utf8) }
  }
}
