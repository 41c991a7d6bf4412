import Emulator
import Encoding
import HTTP
import IdentityToolkit
import Lua
import Scripting

/// Where a script runs: its target, and the embedded emulator if that is the target.
struct Place {
  let target: Target
  let project: ProjectFile
  let people: [EmulatedPerson]
  let emulator: Emulator?

  func context(
    memory: Int, environment: [String: String], trace: (@Sendable (String) -> Void)?
  ) -> ScriptContext {
    ScriptContext(
      target: target, targets: project.targets, missingVariables: project.missingVariables,
      people: people, memoryLimit: memory, trace: trace, environment: environment,
      clockAdvance: emulator?.clock.advance ?? 0)
  }
}

extension ProjectFile {
  /// Finds the target by name, starting the embedded emulator when that is it.
  func place(
    _ name: String?, _ environment: [String: String], _ console: Console,
    _ settings: EmulatorSettings
  ) async throws(CommandFailure) -> Place {
    let isEmbedded =
      name == "emulator"
      || name == nil && environment["FIREBASE_AUTH_EMULATOR_HOST"]?.isEmpty != false
    if !isEmbedded, let option = settings.given.first {
      throw CommandFailure(
        .usage, "--\(option) is for the emulator inside luath, and this run has another target",
        hint: "leave it out, or start luath emulator --\(option) … and run against that")
    }
    if let name, let target = targets[name] {
      return Place(target: target, people: target.isEmulated ? people : [], self)
    }
    if let name, let variable = missingVariables[name] {
      throw CommandFailure(
        .notLoaded,
        "the target '\(name.printable)' needs the environment variable \(variable.printable), "
          + "which is not set", hint: "set it before the run: \(variable.printable)=… luath run …")
    }
    if let name, name != "emulator" {
      guard name.contains(":") else { throw unknown(name) }
      return Place(target: try emulated(at: name, "--target"), people: people, self)
    }
    if name == nil, let host = environment["FIREBASE_AUTH_EMULATOR_HOST"], !host.isEmpty {
      return Place(
        target: try emulated(at: host, "FIREBASE_AUTH_EMULATOR_HOST"), people: people, self)
    }
    do throws(HTTPError) {
      let emulator = try settings.emulator(of: configuration)
      let port = try await emulator.start()
      let target = try emulatedTarget("127.0.0.1:\(port)")
      return Place(target: target, project: self, people: people, emulator: emulator)
    } catch {
      throw CommandFailure(error)
    }
  }

  private func unknown(_ name: String) -> CommandFailure {
    let names = (Array(targets.keys) + missingVariables.keys).sorted() + ["emulator"]
    let near = nearestName(to: name, among: names).map { "did you mean \($0)?" }
    return CommandFailure(
      .usage, "there is no target '\(name.printable)'",
      hint: near ?? "known: \(names.joined(separator: ", ")); or HOST:PORT of an emulator")
  }

  private func emulated(at host: String, _ source: String) throws(CommandFailure) -> Target {
    do throws(HTTPError) {
      return try emulatedTarget(host)
    } catch {
      throw CommandFailure(
        .usage, "\(source) is not HOST:PORT: \(host.printable)", hint: "such as 127.0.0.1:9099")
    }
  }

  private func emulatedTarget(_ host: String) throws(HTTPError) -> Target {
    let port = host.lastIndex(of: ":").map { host[host.index(after: $0)...] } ?? ""
    guard UInt16(port) != nil, let url = WebURL("http://\(host)") else {
      throw HTTPError(.malformedURL, "the emulator's address is not HOST:PORT", hint: "")
    }
    return Target(
      projectID: configuration.id, apiKey: configuration.apiKey ?? Secret("emulated"),
      backend: .emulator(url))
  }

  private var people: [EmulatedPerson] {
    configuration.people.map { person in
      EmulatedPerson(
        email: person.email, password: person.password.reveal(), providers: person.providers ?? [])
    }
  }
}

extension Place {
  fileprivate init(target: Target, people: [EmulatedPerson], _ project: ProjectFile) {
    self.init(target: target, project: project, people: people, emulator: nil)
  }
}
