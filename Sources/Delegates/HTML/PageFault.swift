/// Why a response cannot be read as a page.
enum PageFault: Error {
  /// Its type is none of a page, it is compressed, or it is to be saved.
  case noPage
  case empty
  case unreadable
  case tooManyElements
  case tooManyAttributes
  /// The time for the whole sign-in was over before the page was read.
  case late

  /// What is wrong, in words for an error; nil where the response has to be looked at.
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

  /// Throws when the time is over.
  static func check(_ deadline: ContinuousClock.Instant?) throws(PageFault) {
    if let deadline, ContinuousClock.now > deadline { throw .late }
  }
}
