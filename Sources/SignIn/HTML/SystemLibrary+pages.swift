internal import CQREncode
internal import CXML
public import System

extension SystemLibrary {
  /// libxml2, which parses pages.
  public static var xml: SystemLibrary {
    // 20914 means 2.9.14.
    let number = String(cString: luath_xml_version()).prefix(while: \.isNumber)
    let version = Int(number).map { "\($0 / 10_000).\($0 / 100 % 100).\($0 % 100)" }
    return SystemLibrary("libxml2", version, headers: LIBXML_DOTTED_VERSION)
  }

  /// libqrencode, which makes QR codes of URLs.
  public static var qrencode: SystemLibrary {
    SystemLibrary("libqrencode", String(cString: QRcode_APIVersionString()))
  }
}
