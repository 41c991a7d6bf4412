internal import System
public import HTTP

/// A redirect address on this machine (RFC 8252 section 7.3).
public struct LoopbackAddress: Sendable {
  /// The URL as given; port 80 means any free port.
  let url: WebURL

  /// The default redirect address.
  ///
  /// It uses localhost instead of 127.0.0.1, which RFC 8252 section 8.3 prefers: Firebase projects
  /// authorize localhost from the start, and providers ignore the port only for this name. To meet
  /// the RFC's concerns we listen on both addresses that the name may have.
  private static let usual = "http://localhost/callback"

  /// Creates an address; nil means the default, `http://localhost` with a free port.
  ///
  /// - Throws: what is wrong with the URL, as the end of a sentence that begins with it.
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

  /// Why a URL cannot be used.
  public struct Problem: Error {
    /// The reason, as the end of a sentence.
    public let words: String
  }

  /// The port to listen on; 0 for a free one.
  ///
  /// Port 80 belongs to web servers, so we treat it as no port.
  var port: UInt16 { url.port == 80 ? 0 : UInt16(clamping: url.port) }

  /// The addresses that the host may resolve to in a browser; the first must be free.
  var interfaces: [String] {
    switch url.host {
    case "localhost": ["127.0.0.1", "::1"]
    case "[::1]": ["::1"]
    default: ["127.0.0.1"]
    }
  }

  func url(port: UInt16) -> WebURL {
    guard let whole = WebURL("http://\(url.host):\(port)\(url.pathAndQuery)") else {
      preconditionFailure("another port leaves an address an address")
    }
    return whole
  }
}
