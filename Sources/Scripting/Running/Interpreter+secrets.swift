import Encoding
import IdentityToolkit

/// What the script, the project file and the environment call secret.
extension Interpreter {
  /// Keeps a text out of the record, and of requests that a redirect leads to another origin.
  func mark(secret: String) {
    secrets.add([secret], marked: true)
    context.observer?.marked(secret: secret)
  }

  /// Whether a header field must not reach another origin: by its name, or by a secret in its value.
  func isSecretHeader(_ name: String, _ value: String) -> Bool {
    SecretNames.holdSecrets(name) || secrets.clean(value) != value
  }

  /// What the project file and the environment hold.
  static func knownSecrets(of context: ScriptContext) -> SecretBook {
    let book = SecretBook()
    let variables = context.environment.filter { SecretNames.holdSecrets($0.key) }.values
      .filter { SecretNames.isSecret($0, under: "password") }
    book.add(context.secrets.map { $0.reveal() } + variables, marked: true)
    return book
  }
}
