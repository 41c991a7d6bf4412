/// A parameter value of a statement.
///
/// Values reach SQLite only as parameters: SQL is a static string, which cannot contain one.
package enum SQLValue {
  case null
  case integer(Int64)
  case text(String)
  case blob([UInt8])
  /// A text as a BLOB of UTF-8, which SQLite compares by bytes, independently of collations.
  case utf8(String)
}
