import System
import IdentityToolkit

/// The secrets of the script, the project file and the environment.
extension Interpreter {
  /// Marks a text as secret, so that output and reports mask it.
  func mark(secret: String) {
    secrets.add([secret], marked: true)
    context.observer?.marked(secret: secret)
  }

  func holdsSecret(_ text: String) -> Bool { secrets.clean(text) != text }
}

extension ScriptContext {
  /// The secrets in the project file and the environment, without the passwords of test users.
  var namedSecrets: [String] {
    let variables = environment.filter { name, value in
      // `PWD` and similar variables contain a folder, not a password.
      let isFolder = name.hasSuffix("PWD") && value.hasPrefix("/")
      return !isFolder && SecretNames.holdSecrets(name) && SecretNames.isSecret(value, under: name)
    }
    return secrets.map { $0.reveal() } + variables.values
  }
}
