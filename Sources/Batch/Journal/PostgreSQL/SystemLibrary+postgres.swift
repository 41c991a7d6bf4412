import CPQ
public import System

extension SystemLibrary {
  /// libpq, the PostgreSQL client library.
  public static var libpq: SystemLibrary {
    SystemLibrary("libpq", postgresVersion(PQlibVersion()))
  }
}

/// Formats a version number of libpq: 150013 is 15.13 (libpq, PQserverVersion).
func postgresVersion(_ number: Int32) -> String { "\(number / 10_000).\(number % 10_000)" }
