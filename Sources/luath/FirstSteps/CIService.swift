import Glibc
import Host
import System

/// A CI service for which `luath init --ci` writes a workflow.
enum CIService: String, CaseIterable {
  case github
  case gitlab
  case circle

  /// The name for messages.
  private var title: String {
    switch self {
    case .github: "GitHub"
    case .gitlab: "GitLab"
    case .circle: "CircleCI"
    }
  }

  /// The workflow; its path starts from the root of the repository, where the service looks for it.
  var workflow: (path: String, text: String) {
    let path =
      switch self {
      case .github: ".github/workflows/luath.yml"
      case .gitlab: ".gitlab-ci.yml"
      case .circle: ".circleci/config.yml"
      }
    return (path, EmbeddedTemplates.text("ci/\(rawValue).yml"))
  }

  /// The names of all services, for messages.
  static let names = "github, gitlab or circle"

  /// What the user has to do before the workflow runs, in lines for the output of `luath init`.
  static let firstSteps =
    "  put the package that make deb makes into ci/, and set APP_TESTS in the workflow\n"

  /// Writes the workflow into an existing project.
  ///
  /// - Parameter folder: as the user typed it.
  func run(in folder: String, _ console: Console) -> ExitStatus {
    let place = folder == "." ? "this folder" : folder.printable
    do throws(CommandFailure) {
      try requireRoot(folder, console)
      do throws(NewFiles.Problem) {
        _ = try NewFiles(folder: console.whole(folder), files: [workflow], keepable: []).make()
      } catch {
        switch error {
        case .inTheWay(let paths):
          throw CommandFailure(
            .failed,
            "nothing was made, as \(place) has \(paths.joined(separator: ", ")) already",
            hint: "luath init --ci \(rawValue) /tmp/luath-ci writes the workflow elsewhere; copy "
              + "its jobs from there")
        case .refused(let path, let words):
          throw CommandFailure(
            .unavailable, "nothing was made: \(path.printable): \(words)",
            hint: "name a folder that you may write to: luath init --ci \(rawValue) NAME")
        }
      }
    } catch {
      return error.report(console)
    }
    let made = folder == "." ? "made here" : "made in \(folder.printable)"
    console.writeOutput(
      "\(made):\n  \(workflow.path)\n\nnext:\n" + Self.firstSteps
        + "\(OwnProgram.spelling(console)) doc guides/ci explains its jobs.\n")
    return .code(.ok)
  }

  /// Refuses a folder in which the service would never find the workflow: one below the root of a repository.
  func requireRoot(_ folder: String, _ console: Console) throws(CommandFailure) {
    // A folder that does not exist yet is looked for by its name.
    let whole = console.whole(folder)
    var path = FileAccess.realPath(of: whole) ?? whole
    // In a working tree or a submodule, `.git` is a file (gitrepository-layout(5)).
    if access("\(path)/.git", F_OK) == 0 { return }
    while let slash = path.lastIndex(of: "/"), slash != path.startIndex {
      path = String(path[..<slash])
      guard access("\(path)/.git", F_OK) == 0 else { continue }
      throw CommandFailure(
        .failed,
        "nothing was made, as \(title) reads \(workflow.path) only in the root of the repository",
        hint: "luath init --ci \(rawValue) \(ShellWord.folder(path)); then set JOURNEYS in it to "
          + "the folder of the journeys")
    }
  }
}
