/// A value for a parameter of a statement.
///
/// Values reach SQLite only so: SQL is a static text, which cannot hold one.
package enum SQLValue {
  case null
  case integer(Int64)
  case text(String)
  case blob([UInt8])
  /// The UTF-8 of a text as a BLOB, which SQLite compares byte by byte in every collation.
  case utf8(String)
}
