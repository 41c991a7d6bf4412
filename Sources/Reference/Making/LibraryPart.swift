/// A module of the Lua library as the reference shows it: the files that describe it.
struct LibraryPart {
  /// What scripts require.
  let module: String
  /// Its files with the tables whose functions count, and the name that these have before theirs.
  let files: [(module: String, table: String, prefix: String)]
  /// The classes that these files bring, and what stands for an object in signatures.
  let classes: [(name: String, object: String)]

  /// What stands for the module in signatures: its last word; nothing when its words are globals.
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
