internal import Encoding
public import HTTP

/// A redirect address on this machine, at which a program can wait for a browser (RFC 8252
/// section 7.3).
public struct LoopbackAddress: Sendable {
  /// The address as it was asked for; with the scheme's own port it leaves the port open.
  let url: WebURL

  /// What stands where nothing else is asked for.
  ///
  /// The name and not 127.0.0.1, which RFC 8252 section 8.3 prefers: projects authorize this name
  /// from the start, and providers ignore the port of it alone. Its reasons are met by listening on
  /// both addresses that the name may have.
  private static let usual = "http://localhost/callback"

  /// Takes an address; nil for the usual one, `http://localhost` with a free port.
  ///
  /// - Throws: what is wrong with the address, as the end of a sentence that begins with it.
  public init(_ url: WebURL?) throws(Problem) {
    guard let url = url ?? WebURL(Self.usual) else {
      preconditionFailure("the usual redirect address is one")
    }
    guard url.scheme == "http" else {
      throw Problem(words: "is not http: on the way to the same machine nothing can be read")
    }
    guard ["localhost", "127.0.0.1", "[::1]"].contains(url.host) else {
      throw Problem(words: "does not lead to this machine: use localhost, 127.0.0.1 or [::1]")
    }
    guard url.fragment == nil else {
      throw Problem(words: "holds a fragment, which a redirect address must not")
    }
    guard !LoopbackFields(url, postBody: nil).isAnswer else {
      throw Problem(words: "holds parameters of an answer already, such as state or code")
    }
    self.url = url
  }

  /// What makes an address unfit, as the end of a sentence.
  public struct Problem: Error {
    /// The words after the address.
    public let words: String
  }

  /// The port to listen on; 0 for a free one.
  ///
  /// Port 80 belongs to web servers, so an address without a port names none.
  var port: UInt16 { url.port == 80 ? 0 : UInt16(clamping: url.port) }

  /// The machine's addresses that the host may mean to a browser, the one that must be free first.
  var interfaces: [String] {
    switch url.host {
    case "localhost": ["127.0.0.1", "::1"]
    case "[::1]": ["::1"]
    default: ["127.0.0.1"]
    }
  }

  /// The same address with this port.
  func url(port: UInt16) -> WebURL {
    guard let whole = WebURL("http://\(url.host):\(port)\(url.pathAndQuery)") else {
      preconditionFailure("another port leaves an address an address")
    }
    return whole
  }
}
