import Emulator
import Host
import IdentityToolkit
import SignIn
import System

/// `luath session`: signs users in, and writes what their web app keeps in a browser.
enum SessionCommand {
  static let description = CommandDescription(
    name: "session", summary: "Writes files with which a browser starts signed in.",
    operands: "",
    options: [
      Option(
        "as", "USER",
        "required: the user, by e-mail address, phone number or uid; or --all for the test users",
        isRepeatable: true),
      Option(
        "all", nil,
        "sign in all test users: those in accounts of the target, and for an emulator also those in people"
      ),
      Option(
        "origin", "ORIGIN",
        "required: the origin of the app's pages, such as http://localhost:3000", isRepeatable: true
      ),
      Option(
        "output", "FILE",
        "required: the file; for several users the folder, in which each file has the user's name",
        letter: "o"),
      Option(
        "api-key", "KEY", "the apiKey of the app's firebaseConfig",
        default: "the key of the target, if it has one"),
      Option(
        "app-name", "NAME", "the name of the app in the SDK",
        default: BrowserState.App.usualName),
      Option(
        "persistence", "KIND", "where the SDK keeps its user: indexedDB, local or session",
        default: "indexedDB", choices: BrowserState.Persistence.allCases.map(\.rawValue)),
      Option(
        "format", "FORMAT",
        "playwright, its storageState; or script, JavaScript for Selenium and other tools",
        default: "playwright", choices: BrowserState.Form.allCases.map(\.rawValue)),
      Option("tenant", "ID", "the Identity Platform tenant of the users", default: "no tenant"),
    ]
      + TargetOptions.options(
        named:
          "the users' project: emulator:HOST:PORT (a running one), firebase (a real project), or a "
          + "target of luath.lua",
        withoutTarget: "FIREBASE_AUTH_EMULATOR_HOST; required without it")
      + [RealProjectConsent.option],
    examples: [
      "luath session --target 127.0.0.1:9099 --as ada@contoso.example --origin http://localhost:3000 --api-key demo-key -o ada.json",
      "luath session --all --target staging --yes --origin https://staging.example.com -o .auth",
    ],
    note:
      "The files contain refresh tokens, with which anyone can act as the users. Only their owner can "
      + "read them; keep them out of version control. A user whose password is in the project file signs in with it. "
      + "Others sign in with a custom token, which needs a service account in a real project. A test user "
      + "of an emulator's identity providers who has no account yet signs in there.",
    exits: [
      .ok: "all files were written", .failed: "a user could not be signed in; no file was written",
      .usage: "the command line is invalid, or the project may not be changed",
      .notLoaded: "the project file does not load",
      .unavailable: "the target cannot be reached, or a file cannot be written",
      .nothing: "the project file has no test users for the target",
    ])

  @Sendable static func run(
    _ arguments: ParsedArguments, _ console: Console
  ) async throws(UsageError) -> ExitStatus {
    let options = try SessionOptions(arguments)
    let consent = try RealProjectConsent(arguments, console)
    do throws(CommandFailure) {
      let place = try await target(options, arguments, console)
      let users =
        options.names.isEmpty
        ? NamedUser.all(of: place, arguments)
        : options.names.map { NamedUser($0, of: place, arguments) }
      guard !users.isEmpty else {
        throw CommandFailure(
          .nothing, "the project file has no test users for this target",
          hint: "list them in accounts of the target, or name a user with --as")
      }
      let apps = try options.apps(of: place.target)
      let files = try SessionFiles(for: users.map(\.name), options, console)
      let results = try await place.signIn(
        users, tenantID: options.tenantID, console, consent.projectGuard(of: place)
      ) { user in apps.map { BrowserState(of: user, in: $0) } }
      var failure: ExitCode?
      for case .failure(let problem) in results {
        _ = problem.report(console)
        // Of several, the one of the machine or network explains the others.
        if failure == nil || problem.code == .unavailable { failure = problem.code }
      }
      if let failure { return .code(failure) }
      try files.write(results.compactMap { try? $0.get() })
    } catch {
      return error.report(console)
    }
    return .code(.ok)
  }

  private static func target(
    _ options: SessionOptions, _ arguments: ParsedArguments, _ console: Console
  ) async throws(CommandFailure) -> ResolvedTarget {
    let name = arguments.values["target"]
    let variable = console.environment["FIREBASE_AUTH_EMULATOR_HOST"] ?? ""
    let isNamed = name != nil || arguments.values["config"] != nil || !variable.isEmpty
    guard isNamed, name != ProjectFile.emulator else {
      throw CommandFailure(
        .usage,
        "luath session needs a running emulator or a real project: the built-in emulator ends with the "
          + "command, and its users with it",
        hint: "start luath emulator, and add --target emulator:127.0.0.1:9099; for a real project "
          + "--target firebase")
    }
    var project = try ProjectFile.find(arguments.values["project"], near: nil, console)
    if project.configuration.apiKey == nil { project.configuration.apiKey = options.apiKey }
    return try await project.place(
      name, config: arguments.values["config"], console, EmulatorSettings(rules: .production))
  }
}

/// The options of `luath session`.
struct SessionOptions {
  /// The users; empty for all test users.
  let names: [String]
  let output: String
  let apiKey: Secret?
  let tenantID: String?
  let form: BrowserState.Form
  private let origins: [String]
  private let appName: String?
  private let persistence: BrowserState.Persistence

  init(_ arguments: ParsedArguments) throws(UsageError) {
    if let operand = arguments.operands.first {
      throw UsageError(
        "luath session takes no operand: \(operand.printable)",
        hint: "name the user with --as, and the file with -o")
    }
    var names: [String] = []
    for name in arguments.lists["as"] ?? [] where !names.contains(name) { names.append(name) }
    self.names = names
    guard names.isEmpty == arguments.flags.contains("all") else {
      throw UsageError(
        names.isEmpty
          ? "luath session needs a user: --as USER, or --all for the test users"
          : "--as and --all exclude each other")
    }
    guard names.allSatisfy({ !$0.isEmpty }) else { throw UsageError("--as needs a user") }
    origins = arguments.lists["origin"] ?? []
    guard !origins.isEmpty else {
      throw UsageError(
        "luath session needs the origin of the app's pages",
        hint: "add --origin, such as --origin http://localhost:3000")
    }
    output = arguments.values["output"] ?? ""
    guard !output.isEmpty, output != "-" else {
      throw UsageError(
        "luath session needs a file to write to, because it prints no tokens",
        hint: "add -o FILE, such as -o ada.json")
    }
    apiKey = arguments.values["api-key"].map { Secret($0) }
    appName = arguments.values["app-name"]
    tenantID = arguments.values["tenant"]
    form = try Self.choice("format", arguments) ?? .playwright
    persistence = try Self.choice("persistence", arguments) ?? .indexedDB
    if form == .playwright, persistence == .session {
      throw UsageError(
        "Playwright's storage state has no session storage",
        hint: "add --format script, or choose another --persistence")
    }
  }

  private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ name: String, _ arguments: ParsedArguments
  ) throws(UsageError) -> Choice? {
    guard let text = arguments.values[name] else { return nil }
    if let choice = Choice(rawValue: text) { return choice }
    let names = Choice.allCases.map(\.rawValue).joined(separator: ", ")
    throw UsageError("--\(name) takes one of \(names), not '\(text.printable)'")
  }

  /// The app at each origin.
  func apps(of target: Target) throws(CommandFailure) -> [BrowserState.App] {
    var apps: [BrowserState.App] = []
    for origin in origins {
      do throws(Problem) {
        let app = try BrowserState.App(
          origin: origin, apiKey: apiKey, name: appName, persistence: persistence, of: target)
        if !apps.contains(where: { $0.origin == app.origin }) { apps.append(app) }
      } catch {
        throw CommandFailure(
          .usage, error.message.printable,
          hint: error.hint.replacing("pass the apiKey", with: "add --api-key with the apiKey"))
      }
    }
    return apps
  }
}

/// The files of `luath session`, one for each user.
struct SessionFiles {
  private let names: [String]
  private let paths: [String]
  private let form: BrowserState.Form
  private let console: Console

  init(
    for names: [String], _ options: SessionOptions, _ console: Console
  ) throws(CommandFailure) {
    self.names = names
    self.console = console
    form = options.form
    let output = options.output
    let existing = FileAccess(path: console.whole(output))
    let isFolder =
      options.names.count != 1 || output.hasSuffix("/") || existing?.isFolder == true
    guard isFolder else {
      paths = [output]
      return
    }
    guard existing == nil || existing?.isFolder == true else {
      throw CommandFailure(
        .usage, "\(output.printable) is a file, and several users need a folder",
        hint: "name a folder with -o; luath makes it")
    }
    let folder = output.hasSuffix("/") ? output : "\(output)/"
    let ending = options.form.fileExtension
    var paths: [String] = []
    for name in names {
      let path = "\(folder)\(Self.fileName(name)).\(ending)"
      if let other = paths.firstIndex(of: path) {
        throw CommandFailure(
          .usage,
          "\(names[other].printable) and \(name.printable) would have the same file \(path.printable)",
          hint: "write one of them by itself, with a file of its own in -o")
      }
      paths.append(path)
    }
    self.paths = paths
  }

  /// The user's name without characters that lead to another folder or hide the file.
  private static func fileName(_ name: String) -> String {
    let safe = name.map {
      $0 == "/" || $0.isNewline || $0.unicodeScalars.allSatisfy { $0.value < 32 } ? "_" : $0
    }
    return safe.first == "." ? "_" + String(safe.dropFirst()) : String(safe)
  }

  /// Writes a file for each user, with the states of all apps.
  func write(_ states: [[BrowserState]]) throws(CommandFailure) {
    do throws(Problem) {
      var texts: [String] = []
      for apps in states {
        var whole: BrowserState?
        for state in apps { whole = try whole?.adding(state) ?? state }
        texts.append(try whole?.text(as: form) ?? "")
      }
      for (text, path) in zip(texts, paths) {
        try BrowserState.write(text, to: console.whole(path))
      }
    } catch {
      throw CommandFailure(.unavailable, error.message.printable, hint: error.hint)
    }
    let width = names.map(\.count).max() ?? 0
    for (name, path) in zip(names, paths) {
      let gap = String(repeating: " ", count: width - name.count)
      console.writeOutput("\(name.printable)\(gap)  \(path.printable)\n")
    }
  }
}
