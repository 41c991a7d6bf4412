import Batch
import SignIn
import System
import Host

/// The checks of `luath doctor` for installed browsers and chromedriver.
enum BrowserCheck {
  static func findings(_ environment: [String: String]) async -> [DoctorFinding] {
    let found = await InstalledBrowser.find()
    var findings: [DoctorFinding] = []
    let use = "; only ui.webdriver and luath.webdriver need it"
    for (subject, result) in [("browser", found.browser), ("chromedriver", found.driver)] {
      switch result {
      case .failure(let absence):
        findings.append(.warning(subject, absence.message, absence.hint + use))
      case .success(let program):
        guard let version = program.version else {
          findings.append(
            .problem(
              subject, "\(program.path.printable) does not run",
              "run \(program.path.printable) --version by hand to see what it lacks"))
          continue
        }
        findings.append(.ok(subject, "\(version) at \(program.path.printable)"))
      }
    }
    if case .success(let browser) = found.browser, case .success(let driver) = found.driver,
      let left = browser.version.map(major), let right = driver.version.map(major), left != right
    {
      // A chromedriver only works with a browser of the same major version.
      findings.append(
        .problem(
          "versions", "chromedriver \(right) cannot drive a browser of version \(left)",
          "install chromium and chromium-driver of one version"))
    }
    return findings
  }

  private static func major(_ version: String) -> String {
    version.split(separator: ".").first.map(String.init) ?? version
  }
}

/// The checks of `luath doctor` for PostgreSQL.
enum PostgresCheck {
  static func findings(_ queue: Secret?) async -> [DoctorFinding] {
    let client = "client \(SystemLibrary.libpq.version ?? "")"
    guard let queue else {
      return [.ok("PostgreSQL", "\(client); no server is looked at without --queue")]
    }
    do throws(BatchProblem) {
      let server = try await PostgresServer.look(at: queue)
      guard server.mayCreate else {
        return [
          .problem(
            "PostgreSQL",
            "\(client), server \(server.version) at \(server.place): "
              + "the user may not create schemas",
            "GRANT CREATE ON DATABASE … TO …; a record of a batch is a schema of its own")
        ]
      }
      return [.ok("PostgreSQL", "\(client), server \(server.version) at \(server.place)")]
    } catch {
      return [.problem("PostgreSQL", error.message, error.hint)]
    }
  }
}
