/// A module of the Lua library in the reference, with the files that document it.
struct LibraryPart {
  /// The name that scripts require.
  let module: String
  /// The files, each with the table of its public functions and the prefix for their names.
  let files: [(module: String, table: String, prefix: String)]
  /// The classes in these files, each with the name of an object in signatures.
  let classes: [(name: String, object: String)]

  /// The name of the module in signatures: its last part; empty when its functions are globals.
  var word: String {
    module == "luath.spec" ? "" : module.split(separator: ".").last.map(String.init) ?? module
  }

  static let all = [
    LibraryPart(module: "luath", files: [("luath", "luath", "")], classes: []),
    LibraryPart(
      module: "luath.actor", files: [("luath.actor", "actor", "")], classes: [("Actor", "actor")]),
    LibraryPart(
      module: "luath.batch",
      files: [
        ("luath.batch", "batch", ""), ("luath.batch.survivor", "survivor", "survivor."),
        ("luath.batch.accounts", "", ""),
      ],
      classes: [("Accounts", "accounts")]),
    LibraryPart(
      module: "luath.expect",
      files: [("luath.expect", "expect", ""), ("luath.expect.any", "any", "any.")],
      classes: [("Expectation", "expect(value)")]),
    LibraryPart(
      module: "luath.journey",
      files: [
        ("luath.journey", "journey", ""), ("luath.journey.context", "", ""),
        ("luath.journey.people", "", ""),
      ],
      classes: [("Journey", "j"), ("People", "j.people")]),
    LibraryPart(
      module: "luath.merge",
      files: [("luath.merge", "merge", ""), ("luath.merge.policies", "policies", "")], classes: []),
    LibraryPart(module: "luath.spec", files: [], classes: []),
  ]
}
