import Encoding
import IdentityToolkit

/// What the script, the project file and the environment call secret.
extension Interpreter {
  /// Keeps a text out of the record.
  func mark(secret: String) {
    secrets.add([secret], marked: true)
    context.observer?.marked(secret: secret)
  }

  /// Whether a secret stands in the text.
  func holdsSecret(_ text: String) -> Bool { secrets.clean(text) != text }
}

extension ScriptContext {
  /// What the project file and the environment call secret, without the passwords of people.
  public var namedSecrets: [String] {
    let variables = environment.filter { name, value in
      // The shell's `PWD`, and others that end so, name a working folder.
      let isFolder = name.hasSuffix("PWD") && value.hasPrefix("/")
      return !isFolder && SecretNames.holdSecrets(name) && SecretNames.isSecret(value, under: name)
    }
    return secrets.map { $0.reveal() } + variables.values
  }
}
