import CCrypto
import CShims
public import System
import Glibc

extension SystemLibrary {
  /// OpenSSL's libcrypto.
  public static var openSSL: SystemLibrary {
    SystemLibrary(
      "OpenSSL", String(cString: OpenSSL_version(OPENSSL_VERSION_STRING)),
      headers: OPENSSL_VERSION_STR)
  }

  /// libargon2, which reports no version; the note names its file.
  public static var argon2: SystemLibrary {
    SystemLibrary("libargon2", nil, note: file(of: "argon2_ctx"))
  }

  /// libcrypt of libxcrypt, whose version is in its headers only; the note names its file.
  public static var xcrypt: SystemLibrary {
    SystemLibrary(
      "libxcrypt", nil, headers: luath_xcrypt_headers().map { String(cString: $0) },
      note: file(of: "crypt_rn"))
  }

  /// Returns the name of the file from which a symbol's library was loaded.
  private static func file(of symbol: String) -> String? {
    guard let path = luath_library_file(symbol) else { return nil }
    defer { free(path) }
    return String(cString: path).split(separator: "/").last.map(String.init)
  }
}
