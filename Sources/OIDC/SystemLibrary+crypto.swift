import CCrypto
import CShims
public import Encoding
import Glibc

extension SystemLibrary {
  /// libcrypto of OpenSSL, which signs and verifies.
  public static var openSSL: SystemLibrary {
    SystemLibrary(
      "OpenSSL", String(cString: OpenSSL_version(OPENSSL_VERSION_STRING)),
      headers: OPENSSL_VERSION_STR)
  }

  /// libargon2, which tells no version; the note names its file.
  public static var argon2: SystemLibrary {
    SystemLibrary("libargon2", nil, note: file(of: "argon2_ctx"))
  }

  /// libcrypt by libxcrypt, which tells its version to compilers only; the note names its file.
  public static var xcrypt: SystemLibrary {
    SystemLibrary(
      "libxcrypt", nil, headers: luath_xcrypt_headers().map { String(cString: $0) },
      note: file(of: "crypt_rn"))
  }

  /// The name of the file that a library was loaded from.
  private static func file(of symbol: String) -> String? {
    guard let path = luath_library_file(symbol) else { return nil }
    defer { free(path) }
    return String(cString: path).split(separator: "/").last.map(String.init)
  }
}
