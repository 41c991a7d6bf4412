import HTTP
import IdentityToolkit
public import System
import Glibc

/// Parses a table from a script, and rejects what it does not know.
///
/// The backend is lenient: it treats an empty text as missing and ignores unknown fields.
typealias RecordReader = ObjectReader<AdminError>

extension RecordReader {
  /// Returns a change: a text, or false to clear the field.
  func change(_ name: String) throws(AdminError) -> FieldChange<String> {
    guard let value = value(name) else { return .keep }
    if case .bool(false) = value { return .clear }
    guard let text = value.string else {
      throw fault(name, "must be a string, or false to clear it")
    }
    guard !text.isEmpty else { throw fault(name, "is empty: pass false to clear it") }
    return .set(text)
  }

  /// Returns a non-negative integer.
  func whole(_ name: String) throws(AdminError) -> Int64? {
    guard let value = value(name) else { return nil }
    guard let number = value.integer, number >= 0 else {
      throw fault(name, "must be a whole number that is not negative")
    }
    return number
  }

  func fault(_ name: String, _ problem: String) -> AdminError {
    AdminError(.invalidArgument, "\((path + [name]).joined(separator: ".")) \(problem)")
  }
}

extension AdminError: ObjectReaderError {
  /// Words a mistake in a table.
  public init(_ mistake: ObjectMistake, of name: String?, at path: [String]) {
    let place = (path + (name.map { [$0] } ?? [])).joined(separator: ".")
    let message =
      switch mistake {
      case .missing: "\(place) is missing"
      case .empty: "\(place) is empty"
      case .wrongType(.object, _): "\(place.isEmpty ? "the account" : place) is not a table"
      case .wrongType(.bool, _): "\(place) must be true or false"
      case .wrongType(let kind, _), .wrongItem(let kind, _, _): "\(place) must be \(kind.rawValue)"
      case .unknownName(let nearest, _):
        "there is no field '\((path + [Redaction().clean(name ?? "")]).joined(separator: "."))'"
          + (nearest.map { "; did you mean '\($0)'?" } ?? "")
      }
    self.init(.invalidArgument, message)
  }

  /// Accepts no list as a table, not even an empty one.
  public static func object(_ json: JSON) -> JSONObject? { json.object }
}

/// Why a file could not be read or written, as the end of a sentence.
struct FileFault: Error {
  let problem: String

  init(_ problem: String) { self.problem = problem }

  /// Combines the failed action with the system's message.
  init(errno code: Int32, _ verb: String) {
    problem = "cannot be \(verb): \(SystemError(code).message)"
  }

  /// Rejects a path that C would cut at a zero byte.
  static func check(path: String) throws(FileFault) {
    if path.utf8.contains(0) { throw FileFault("has a zero byte in its name") }
  }
}

/// Reads a file of at most `limit` bytes.
func contents(ofFile path: String, atMost limit: Int) throws(FileFault) -> [UInt8] {
  try FileFault.check(path: path)
  let file = open(path, O_RDONLY | O_CLOEXEC)
  guard file >= 0 else { throw FileFault(errno: errno, "opened") }
  defer { close(file) }
  do throws(SystemError) { return try WholeFile.read(file, atMost: limit) } catch {
    throw error.code == EFBIG
      ? FileFault("is larger than \(limit) bytes") : FileFault(errno: error.code, "read")
  }
}

/// A paged list of the backend, fetched on demand.
///
/// It has the isolation of its administrator and is not shared between threads.
public final class PagedList<Item> {
  /// Fetches the page of a token, the first one for nil, and the next page's token.
  typealias Fetch =
    (_ token: String?) async throws(AdminError) -> (items: [Item], nextToken: String?)

  private let fetch: Fetch
  private var page: ArraySlice<Item> = []
  private var nextToken: String?
  private var isLast = false
  private let fetching = SharedWork<Void, AdminError>()

  init(_ fetch: @escaping Fetch) { self.fetch = fetch }

  /// Returns the next item; nil after the last one.
  ///
  /// Several tasks may call it; each item is returned to one of them.
  public func next() async throws(AdminError) -> Item? {
    while true {
      if let item = page.popFirst() { return item }
      if isLast { return nil }
      _ = try await fetching.share(fetchPage)
    }
  }

  /// Fetches a page; after a failure the list is unchanged, so that the next call retries.
  private func fetchPage() async throws(AdminError) {
    let (items, given) = try await fetch(nextToken)
    let token = given.flatMap { $0.isEmpty ? nil : $0 }
    if let token, let nextToken, ExactString(token) == ExactString(nextToken) {
      throw AdminError(
        .internalError, "the backend returns the same page of a list again and again")
    }
    page = items[...]
    nextToken = token
    isLast = token == nil
  }
}

extension Admin {
  /// The allowed page sizes of a list.
  static let pageSizes: ClosedRange<Int64> = 1...1000

  static func check(pageSize: Int64) throws(AdminError) {
    guard pageSizes.contains(pageSize) else {
      throw AdminError(.invalidArgument, "pageSize must be a number from 1 to 1000")
    }
  }
}
