import Host
import IdentityToolkit
import System

/// Requests whose responses by two servers are compared.
struct Scenario: Sendable {
  /// The topic and a short name, such as `passwords/reset twice`.
  let name: String
  /// What it tests, in one sentence.
  let about: String
  /// The emulator rules without which the responses differ.
  let rules: [String]
  let needs: [Need]
  /// Why it runs at emulators only; nil when a real project is allowed too.
  let emulatorsOnly: String?
  /// Settings that are changed for the scenario and restored afterwards.
  let settings: JSONObject
  let steps: [Step]
  /// Steps that always run at the end, to undo the others; accounts need none.
  let finally: [Step]

  /// The largest number of requests to one server, without retries and deletions of accounts.
  var requests: Int {
    (steps + finally).reduce(settings.isEmpty ? 0 : 3) { $0 + ($1.advance == 0 ? 1 : 2) }
  }

  init(_ json: JSON, topic: String) throws(CatalogueError) {
    let name = json["name"]?.string ?? ""
    self.name = "\(topic)/\(name)"
    let place = self.name
    func fault(_ problem: String) -> CatalogueError { CatalogueError("\(place): \(problem)") }
    let known: Set = [
      "name", "about", "rules", "needs", "emulatorsOnly", "settings", "steps", "finally",
    ]
    if let key = json.object?.keys.first(where: { !known.contains($0) }) {
      throw fault("a scenario has no member \(key)")
    }
    guard !name.isEmpty, let about = json["about"]?.string else {
      throw fault("a scenario needs name and about")
    }
    self.about = about
    rules = json["rules"]?.array?.compactMap(\.string) ?? []
    var needs: [Need] = []
    for word in json["needs"]?.array ?? [] {
      guard let need = word.string.flatMap(Need.init) else {
        throw fault("there is no need \(word.encoded())")
      }
      needs.append(need)
    }
    self.needs = needs
    settings = json["settings"]?.object ?? [:]
    emulatorsOnly =
      json["emulatorsOnly"]?.string
      ?? (settings.isEmpty ? nil : "it changes the settings of the project")
    steps = try Self.steps(json["steps"], place)
    finally = try Self.steps(json["finally"], place)
    guard !steps.isEmpty else { throw fault("a scenario needs steps") }
  }

  private static func steps(_ json: JSON?, _ place: String) throws(CatalogueError) -> [Step] {
    var steps: [Step] = []
    for row in json?.array ?? [] { steps.append(try Step(row, place)) }
    return steps
  }
}

extension Scenario {
  /// The lines of a dry run for the scenario: requests with bodies, and changes of settings.
  var preview: [String] {
    let undoing = finally.flatMap(\.preview).map { $0.hasPrefix(" ") ? $0 : "\($0)  (to clean up)" }
    guard !settings.isEmpty else { return steps.flatMap(\.preview) + undoing }
    let config = "identitytoolkit.googleapis.com/v2/projects/PROJECT/config"
    let change = "PATCH \(config)?updateMask=\(settings.keys.joined(separator: ","))"
    return ["GET \(config)", change, "  \(JSON.object(settings).encoded())"]
      + steps.flatMap(\.preview) + undoing + ["\(change)  (as it was)"]
  }
}

extension Step {
  /// The request with placeholders: `luath-compare-…` for the run, `<name>` for a variable.
  fileprivate var preview: [String] {
    var lines: [String] = []
    if pause > 0 { lines.append("(waits \(pause) ms)") }
    if advance > 0 {
      lines += ["PATCH emulator/v1/clock", "  {\"advanceSeconds\":\(advance)}"]
    }
    let address = path.dropFirst().replacing("{{project}}", with: "PROJECT")
    let fields = query.entries.filter { $0.key != "key" }.map { field in
      "\(field.key)=\(field.value.string ?? field.value.encoded())"
    }
    let request =
      "\(method) \(address)" + (fields.isEmpty ? "" : "?\(fields.joined(separator: "&"))")
    lines.append(Self.shown(request))
    for field in headers.entries where field.key != "Authorization" {
      lines.append(Self.shown("  \(field.key): \(field.value.string ?? field.value.encoded())"))
    }
    if let content = (body ?? form)?.encoded() ?? raw { lines.append(Self.shown("  \(content)")) }
    return lines
  }

  private static func shown(_ text: String) -> String {
    text.replacing("{{prefix}}", with: "luath-compare-…")
      .replacing(/\{\{([A-Za-z0-9]+)\}\}/) { "<\($0.output.1)>" }
  }
}

/// The scenarios of `luath compare`, embedded in this program.
enum ScenarioCatalogue {
  /// All scenarios, in the order of the file names and then within each file.
  static func scenarios() throws(CatalogueError) -> [Scenario] {
    var scenarios: [Scenario] = []
    for (file, text) in EmbeddedCatalogue.files.sorted(by: { $0.key < $1.key }) {
      let json: JSON
      do { json = try JSON.parse(text.description) } catch {
        throw CatalogueError("\(file): \(error.description)")
      }
      for row in json["scenarios"]?.array ?? [] {
        scenarios.append(try Scenario(row, topic: json["topic"]?.string ?? file))
      }
    }
    return scenarios
  }
}

/// A mistake in the catalog of scenarios.
struct CatalogueError: Error, Sendable, CustomStringConvertible {
  /// The scenario and the mistake.
  let description: String

  init(_ description: String) { self.description = description }
}

/// A requirement of a scenario on a real project; emulators meet all but the last three and `testPhone`.
enum Need: String, Sendable, CaseIterable {
  case password, emailLink, anonymous, phone, testPhone, totp
  case protection, noProtection, uniqueEmails, signUp, deletion, noPolicy
  /// A clock that may be moved.
  case clock
  /// No accounts but those of the comparison, because the responses show all.
  case noAccounts
  /// Settings of unknown names that can be removed again.
  case removal

  /// Why a server does not meet it; nil when it does.
  func lack(at peer: Peer) -> String? {
    if self == .clock, !peer.hasOwnClock {
      return "the clock is moved only of emulators that luath compare starts itself"
    }
    if self == .noAccounts, !peer.belongings.strangers.isEmpty {
      return "the project has other accounts, which the responses would contain"
    }
    if self == .removal, peer.keepsSettings, !peer.hasOwnClock {
      return "the emulator could not remove the setting again"
    }
    return lack(in: peer.settings, isEmulated: peer.target.isEmulated)
  }

  private func lack(in settings: JSON, isEmulated: Bool) -> String? {
    if self == .testPhone {
      return ProjectSettings.testNumber(in: settings) == nil
        ? "the project has no phone number for tests" : nil
    }
    if isEmulated { return nil }
    let signIn = settings["signIn"]
    let isProtected = settings["emailPrivacyConfig"]?["enableImprovedEmailPrivacy"]?.bool == true
    let permissions = settings["client"]?["permissions"]
    return switch self {
    case .password:
      signIn?["email"]?["enabled"]?.bool == true ? nil : "sign-in by password is off"
    case .emailLink:
      signIn?["email"]?["enabled"]?.bool == true
        && signIn?["email"]?["passwordRequired"]?.bool != true
        ? nil : "sign-in by e-mail link is off"
    case .anonymous:
      signIn?["anonymous"]?["enabled"]?.bool == true ? nil : "anonymous sign-in is off"
    case .phone, .testPhone:
      signIn?["phoneNumber"]?["enabled"]?.bool == true ? nil : "sign-in by phone is off"
    case .totp:
      Self.hasApps(settings["mfa"]) ? nil : "authenticator apps are off"
    case .protection: isProtected ? nil : "e-mail enumeration protection is off"
    case .noProtection: isProtected ? "e-mail enumeration protection is on" : nil
    case .uniqueEmails:
      signIn?["allowDuplicateEmails"]?.bool == true
        ? "several accounts may have one e-mail address" : nil
    case .signUp:
      permissions?["disabledUserSignup"]?.bool == true ? "clients may not sign up" : nil
    case .deletion:
      permissions?["disabledUserDeletion"]?.bool == true ? "clients may not delete accounts" : nil
    case .noPolicy:
      settings["passwordPolicyConfig"]?["passwordPolicyEnforcementState"]?.string == "ENFORCE"
        ? "the project has its own password policy" : nil
    case .clock, .noAccounts, .removal: nil
    }
  }

  private static func hasApps(_ mfa: JSON?) -> Bool {
    mfa?["providerConfigs"]?.array?.contains {
      $0["totpProviderConfig"] != nil && $0["state"]?.string == "ENABLED"
    } == true
  }
}
