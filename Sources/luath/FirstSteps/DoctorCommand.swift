import Batch
import Glibc
import HTTP
import Host
import SignIn
import Storage
import System

/// `luath doctor`: checks that this machine has what luath needs, and prints how to fix problems.
enum DoctorCommand {
  static let description = CommandDescription(
    name: "doctor",
    summary:
      "Checks whether this machine has all that luath needs, and prints how to fix problems.",
    operands: "",
    options: TargetOptions.options(withoutTarget: "all targets of luath.lua") + [
      Option(
        "queue", "URL",
        "check this PostgreSQL server too: postgres://USER@HOST/DATABASE, or the variable with the address",
        default: "none"),
      Option("json", nil, "print the findings as one JSON object"),
    ],
    examples: [
      "luath doctor",
      "luath doctor --target staging --queue BATCH_QUEUE",
      "luath doctor --json",
    ],
    exits: [.ok: "no problem was found", .failed: "there is a problem"])

  @Sendable static func run(
    _ arguments: ParsedArguments, _ console: Console
  ) async throws(UsageError) -> ExitStatus {
    if let operand = arguments.operands.first {
      throw UsageError("luath doctor takes no operand: \(operand.printable)")
    }
    let queue = try BatchRunCommand.queue(arguments, console)
    let targets = try TargetCheck(arguments, console)
    var findings = MachineCheck(console).findings
    findings += await BrowserCheck.findings(console.environment)
    findings += await PostgresCheck.findings(queue)
    findings += await targets.findings()
    let isWell = !findings.contains { $0.level == .problem }
    if arguments.flags.contains("json") {
      let report: JSON = [
        "luath": .string(Version.current), "ok": .bool(isWell),
        "findings": .array(findings.map(\.json)),
      ]
      console.writeOutput(report.encoded(pretty: true) + "\n")
    } else {
      let width = findings.map(\.subject.count).max() ?? 0
      console.writeOutput(findings.map { $0.lines(width: width) }.joined() + summary(findings))
    }
    return .code(isWell ? .ok : .failed)
  }

  private static func summary(_ findings: [DoctorFinding]) -> String {
    func count(_ level: DoctorFinding.Level, _ word: String) -> String? {
      let number = findings.count { $0.level == level }
      return number == 0 ? nil : "\(number) \(word)\(number == 1 ? "" : "s")"
    }
    let parts = [count(.problem, "problem"), count(.warning, "warning")].compactMap { $0 }
    return "\n\(parts.isEmpty ? "all is well" : parts.joined(separator: ", "))\n"
  }
}

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
      return [.ok("PostgreSQL", "\(client); no server is checked without --queue")]
    }
    do throws(QueueProblem) {
      let server = try await PostgresServer.look(at: queue)
      guard server.mayCreate else {
        return [
          .problem(
            "PostgreSQL",
            "\(client), server \(server.version) at \(server.place): "
              + "the user may not create schemas",
            "GRANT CREATE ON DATABASE … TO …; each record of a batch is a separate schema")
        ]
      }
      return [.ok("PostgreSQL", "\(client), server \(server.version) at \(server.place)")]
    } catch {
      return [.problem("PostgreSQL", error.message, error.hint)]
    }
  }
}

/// The checks of `luath doctor` for the machine itself, without network access.
struct MachineCheck {
  private let console: Console
  private let environment: [String: String]

  init(_ console: Console) {
    self.console = console
    environment = console.environment
  }

  var findings: [DoctorFinding] {
    [
      .ok("luath", "\(Version.current), commit \(VersionText.commit)"), libraries, certificates,
      state, temporary, files, terminal, locale,
    ]
  }

  private var libraries: DoctorFinding {
    let all = SystemLibraries.all
    let subject = "libraries"
    if let curl = all.first(where: { $0.name == "libcurl" }), curl.note == "without TLS" {
      return .problem(
        subject, "libcurl \(curl.facts)", "install a libcurl with TLS: real projects need https")
    }
    let old = all.filter(\.isOlderThanHeaders)
    guard old.isEmpty else {
      let names = old.map { "\($0.name) \($0.version ?? "") (made for \($0.headerVersion ?? ""))" }
      return .warning(
        subject, "older than the versions that luath needs: \(names.joined(separator: ", "))",
        "update them, or build luath on this machine; luath --version lists all")
    }
    return .ok(subject, "\(all.count) of the system, as new as luath needs")
  }

  private var certificates: DoctorFinding {
    let subject = "certificates"
    let store = CertificateStore.current
    let by = store.variable.map { " (by \($0))" } ?? ""
    let advice =
      store.variable.map { "correct \($0), or unset it to use the system's" }
      ?? "install them: apt-get install ca-certificates; without them no https server is trusted"
    if let file = store.file {
      switch console.read(file) {
      case .success(let content):
        let count = Self.certificates(in: content)
        if count > 0 {
          return .ok(subject, "\(count) trusted authorities in \(file.printable)\(by)")
        }
        return .problem(subject, "\(file.printable)\(by) holds no certificate", advice)
      case .failure(let problem):
        // libcurl's default folder suffices, so a missing default file is not a problem.
        if store.variable != nil || !Self.holdsFiles(store.folder) {
          return .problem(subject, "cannot read \(file.printable)\(by): \(problem.words)", advice)
        }
      }
    }
    guard let folder = store.folder, Self.holdsFiles(folder) else {
      return .problem(subject, "there are no trusted authorities\(by)", advice)
    }
    return .ok(subject, "trusted authorities in \(folder.printable)\(by)")
  }

  private static func certificates(in content: [UInt8]) -> Int {
    content.split(separator: UInt8(ascii: "\n")).count {
      $0.starts(with: "-----BEGIN CERTIFICATE-----".utf8)
        || $0.starts(with: "-----BEGIN TRUSTED CERTIFICATE-----".utf8)
    }
  }

  private static func holdsFiles(_ folder: String?) -> Bool {
    guard let folder, let stream = opendir(folder) else { return false }
    defer { closedir(stream) }
    var count = 0
    while readdir(stream) != nil, count < 3 { count += 1 }
    // `.` and `..` are always there.
    return count > 2
  }

  /// Checks that `.luath` is writable, where `luath test` stores the last failures and durations.
  private var state: DoctorFinding {
    let subject = "state"
    let own = console.whole(".luath")
    let folder = Self.isFolder(own) ? own : console.folder
    if let problem = Self.problemWriting(in: folder) {
      return .warning(
        subject, "\(folder.printable) takes no files: \(problem)",
        "luath test keeps its record there; make it writable, or name another file with --record")
    }
    return .ok(subject, "\(folder.printable) is writable")
  }

  private var temporary: DoctorFinding {
    let folder = environment["TMPDIR"].flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
    if let problem = Self.problemWriting(in: folder) {
      return .problem(
        "temporary", "\(folder.printable) takes no files: \(problem)",
        "make it writable, or set TMPDIR; browsers and drivers of sign-ins work there")
    }
    return .ok("temporary", "\(folder.printable) is writable")
  }

  private static func isFolder(_ path: String) -> Bool {
    var facts = stat()
    return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
  }

  /// The error when a temporary file in the folder is written; nil if that works.
  private static func problemWriting(in folder: String) -> String? {
    var template = Array("\(folder)/.luath-XXXXXX".utf8CString)
    let file = mkstemp(&template)
    guard file >= 0 else { return SystemError(errno).words }
    unlink(template)
    defer { close(file) }
    // Write data too, because on a full disk, creating an empty file still works.
    let line = [UInt8](repeating: 32, count: 4096)
    return write(file, line, line.count) == line.count ? nil : SystemError(errno).words
  }

  /// Checks the limit of open files, because each virtual user of a load run has its own connections.
  private var files: DoctorFinding {
    // The soft limit from the process start (sysconf(3)); -1 means no limit.
    let limit = sysconf(Int32(_SC_OPEN_MAX))
    let shown = limit < 0 ? "without a limit" : "up to \(limit) at a time"
    guard limit < 0 || limit >= 1024 else {
      return .warning(
        "open files", shown, "raise it with ulimit -n 4096; luath load and batches need many")
    }
    return .ok("open files", shown)
  }

  private var terminal: DoctorFinding {
    guard let columns = console.outputColumns else {
      return .ok("terminal", "none: what is printed goes to a file or a program")
    }
    let name = environment["TERM"] ?? ""
    guard !name.isEmpty, name != "dumb" else {
      return .warning(
        "terminal", "\(columns) columns, TERM is \(name.isEmpty ? "not set" : "dumb")",
        "set TERM for your terminal, such as xterm-256color, for colours and editing")
    }
    return .ok("terminal", "\(name.printable), \(columns) columns")
  }

  private var locale: DoctorFinding {
    // The first variable that is set and not empty counts (locale(7)).
    let names = ["LC_ALL", "LC_CTYPE", "LANG"]
    let variable = names.first { environment[$0]?.isEmpty == false }
    let value = variable.flatMap { environment[$0] } ?? "C"
    let encoding = value.split(separator: "@").first?.split(separator: ".").dropFirst().first ?? ""
    let isUnicode = ["utf-8", "utf8"].contains(encoding.lowercased())
    let shown = variable.map { "\($0)=\(value.printable)" } ?? "none is set"
    guard isUnicode else {
      return .warning(
        "locale", "\(shown): not UTF-8", "export LANG=C.UTF-8: luath prints and reads UTF-8")
    }
    return .ok("locale", shown)
  }
}
