import System

/// Evidence of a journey: a page's picture or HTML, or what the script attached; its secrets are removed.
struct AttachmentEvent: Sendable {
  /// The size limit of a text, in bytes; longer ones are cut.
  static let longestText = 1 << 20
  /// The size limit of other content, in bytes; larger content is left out.
  static let mostBytes = 4 << 20

  /// The content as reports have it.
  enum Content: Sendable, Equatable {
    case text(String)
    case bytes([UInt8])
    /// `note` has the reason.
    case leftOut
  }

  /// What it shows: the name that the script gave, or `failed`.
  var name: String
  /// The media type, such as `image/png`.
  var type: String
  /// The size of the content before it was cut, in bytes.
  var size: Int
  var content: Content
  /// Why the content is cut or left out.
  var note: String?
  /// Whether it shows a page at a failure.
  var isFailure: Bool = false
  /// The URL of the page, with its secrets masked; nil when it shows no page.
  var url: String?
  /// The title of the page.
  var title: String?
  /// The file of `--pages`.
  var file: String?
}

extension AttachmentEvent {
  /// The content as bytes; nil when it is left out.
  var bytes: [UInt8]? {
    switch content {
    case .text(let text): Array(text.utf8)
    case .bytes(let bytes): bytes
    case .leftOut: nil
    }
  }

  /// Why the content is left out; nil when it is there.
  var leftOutNote: String? { content == .leftOut ? note : nil }

  /// The ending of a file with this content.
  var ending: String {
    switch type {
    case "text/html": "html"
    case "text/plain": "txt"
    case "text/csv": "csv"
    case "image/svg+xml": "svg"
    case "image/jpeg": "jpg"
    case _ where type.hasSuffix("json"): "json"
    case _ where type.hasSuffix("xml"): "xml"
    case _ where type.hasPrefix("image/"): String(type.dropFirst("image/".count))
    default: "bin"
    }
  }
}

/// A line of a page's console, or an error that the page did not catch.
struct ConsoleEvent: Sendable {
  /// `error`, `warning`, `info` or `debug`.
  var level: String
  /// The part of the browser that wrote it; `javascript` for uncaught errors.
  var source: String
  /// The message, with its secrets removed.
  var text: String
}

/// A request that a page sent, not luath.
struct PageRequestEvent: Sendable {
  var method: String
  /// The URL, with its secrets masked.
  var url: String
  /// What the response is for, such as `Document` or `Script`.
  var type: String
  /// The HTTP status; nil when there was no response.
  var status: Int?
  /// Why there was no response.
  var error: String?
}
