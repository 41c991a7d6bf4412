import SignIn
import System
import HTTP
import IdentityToolkit
import Lua

extension Interpreter {
  func target(named name: String) throws(LuaError) -> Target {
    if let need = context.unusableTargets[name] {
      throw .message("the target '\(name.printable)' needs \(need)")
    }
    guard let target = context.targets[name] else {
      let names = context.targets.keys.sorted()
      let advice = nearestName(to: name, among: names).map { "; did you mean '\($0)'?" } ?? ""
      let known = names.isEmpty ? "it names none" : "it names " + names.joined(separator: ", ")
      throw .message("the project file has no target '\(name.printable)'\(advice) (\(known))")
    }
    return target
  }

  /// Receives actions on pages; nil without an observer.
  var pageObserver: PageObserver? {
    context.observer.map { observer in { observer.acted($0) } }
  }

  /// Marks texts as secret, except those too common to mask.
  func hide(_ texts: [String]) {
    for text in texts where SecretNames.isSecret(text, under: "password") { mark(secret: text) }
  }

  /// Marks the answers to sign-in forms as secret.
  func hide(_ answers: SignInAnswers) {
    hide([answers.password].compactMap { $0?.reveal() })
    hide(answers.fields.values.map { $0.reveal() }.filter(SecretNames.looksRandom))
  }

  /// The transport for the clients of a target.
  ///
  /// Targets with different addresses must not share one: a run's emulator responds for Google's hosts, which must
  /// not happen to requests of a real project.
  func transport(to target: Target) -> ScriptTransport {
    let key = TransportKey(target)
    if key == TransportKey(context.target) { return transport }
    if let known = transports[key] { return known }
    let made = ScriptTransport(target, context, loop: actor.loop)
    transports[key] = made
    return made
  }
}

/// The properties that two targets must have in common to share connections and quota counts.
struct TransportKey: Hashable {
  private let projectID: ExactString
  private let backend: Target.Backend
  private let hostOverrides: Target.HostOverrides

  init(_ target: Target) {
    projectID = ExactString(target.projectID)
    backend = target.backend
    hostOverrides = target.hostOverrides
  }
}
