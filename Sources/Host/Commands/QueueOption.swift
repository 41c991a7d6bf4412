public import System

/// The option `--queue`, with the address of a PostgreSQL database that several processes share.
public enum QueueOption {
  /// Returns the address in `--queue`, or in the environment variable that it names; nil without the option.
  ///
  /// A variable keeps a password out of the process list, which other users can see.
  public static func url(
    _ arguments: ParsedArguments, _ console: Console
  ) throws(UsageError) -> Secret? {
    guard let text = arguments.values["queue"] else { return nil }
    if text.contains("://") { return Secret(text) }
    guard let value = console.environment[text], !value.isEmpty else {
      throw UsageError(
        "--queue takes postgres://USER@HOST/DATABASE, or the name of a variable that holds it")
    }
    return Secret(value)
  }
}
