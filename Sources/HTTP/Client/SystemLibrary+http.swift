import CCurl
import CMicroHTTP
import CZlib
public import System

extension SystemLibrary {
  /// libcurl, which sends requests; the note names its TLS library.
  public static var curl: SystemLibrary {
    guard let facts = curl_version_info(CURLVERSION_SEVENTH) else {
      return SystemLibrary("libcurl", nil, headers: LIBCURL_VERSION)
    }
    return SystemLibrary(
      "libcurl", String(cString: facts.pointee.version), headers: LIBCURL_VERSION,
      note: facts.pointee.ssl_version.map { "TLS by \(String(cString: $0))" } ?? "without TLS")
  }

  /// libmicrohttpd, the emulator's HTTP server.
  public static var microhttpd: SystemLibrary {
    SystemLibrary("libmicrohttpd", String(cString: MHD_get_version()))
  }

  /// zlib, which inflates compressed requests.
  public static var zlib: SystemLibrary {
    SystemLibrary("zlib", String(cString: zlibVersion()), headers: ZLIB_VERSION)
  }
}
