/// The schema of a luath database file and the migrations from older versions.
package struct Schema {
  /// The kind of file in messages.
  let kind: String
  /// The application id in the file's header, which distinguishes it from other programs' files.
  let applicationID: Int32
  /// The SQL that migrates from each version to the next; the first one creates version 1 in an empty file.
  ///
  /// Released migrations must not be changed, because existing files were made with them.
  let migrations: [StaticString]

  package init(kind: String, applicationID: Int32, migrations: [StaticString]) {
    self.kind = kind
    self.applicationID = applicationID
    self.migrations = migrations
  }

  /// The version that this luath writes.
  var version: Int { migrations.count }
}
