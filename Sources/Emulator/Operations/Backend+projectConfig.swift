internal import Encoding
internal import IdentityToolkit

extension Backend {
  /// The project's number, which some answers give in place of its id.
  var projectNumber: String {
    StableID.decimal(for: "project", configuration.id, count: 12)
  }

  /// `GET v1/projects`: what a client may know of the project before anybody signs in.
  func projectConfig() -> JSONObject {
    var domains = configuration.authorizedDomains
    if let domain = configuration.authDomain, !domains.contains(domain) { domains.append(domain) }
    return [
      "projectId": .string(projectNumber), "authorizedDomains": .array(domains.map { .string($0) }),
    ]
  }
}
