/// What a database file of luath holds, and how older files become such ones.
package struct Schema {
  /// What the file is for, as messages say it.
  let kind: String
  /// The number in the file's header that tells it from other programs' files.
  let applicationID: Int32
  /// The SQL that leads from each version to the next; the first makes version 1 in an empty file.
  ///
  /// What was released must stay as it is, since files were made with it.
  let migrations: [StaticString]

  /// Describes what a file holds.
  package init(kind: String, applicationID: Int32, migrations: [StaticString]) {
    self.kind = kind
    self.applicationID = applicationID
    self.migrations = migrations
  }

  /// The version that this luath writes.
  var version: Int { migrations.count }
}
