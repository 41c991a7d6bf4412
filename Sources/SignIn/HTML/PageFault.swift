/// Why a response cannot be read as a page.
enum PageFault: Error {
  /// Not HTML by its type, compressed, or a download.
  case noPage
  case empty
  case unreadable
  case tooManyElements
  case tooManyAttributes
  /// The time limit of the sign-in was reached before the page was parsed.
  case late

  /// The reason for an error message; nil when the caller must inspect the response.
  var reason: String? {
    switch self {
    case .noPage, .late: nil
    case .empty: "it is empty"
    case .unreadable: "there is no HTML in it"
    case .tooManyElements:
      "it has more than \(HTMLDocument.maximumElements) elements, which is the limit"
    case .tooManyAttributes:
      "it has a tag of about 10,000 attributes or more, which is the limit"
    }
  }

  /// Throws when the deadline has passed.
  static func check(_ deadline: ContinuousClock.Instant?) throws(PageFault) {
    if let deadline, ContinuousClock.now > deadline { throw .late }
  }
}
