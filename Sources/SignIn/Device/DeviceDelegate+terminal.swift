internal import Client
internal import HTTP
internal import OIDC

extension DeviceDelegate {
  /// Shows URL and code on a terminal, with a QR code of the URL if it fits.
  public static func prompt(at terminal: SignInTerminal) -> Prompt {
    { (flow) throws(AuthError) in
      let picture = picture(
        of: flow.verificationURIComplete ?? flow.verificationURI, columns: terminal.columns)
      terminal.write(
        """
        luath: to sign in, open this page on whatever device:

          \(flow.verificationURI)

        \(picture)and enter the code there: \(flow.userCode)

        """)
    }
  }

  private static func picture(of url: WebURL, columns: Int?) -> String {
    guard let columns, let code = QRCode(url.description), code.columns <= columns else {
      return ""
    }
    return code.lines.map { $0 + "\n" }.joined() + "\n"
  }
}
