/// Pages of rows with their accounts, which are looked up for several pages at the same time.
struct AccountPages<Row: Sendable> {
  /// The size of a page that mostly needs one lookup.
  static var size: Int { 50 }
  /// How many pages are looked up at the same time.
  private static var mostAhead: Int { 8 }

  private struct Page {
    let rows: [Row]
    let images: Task<Result<AccountImages, BatchProblem>, Never>
  }

  private let look: AccountLook
  private let uids: (Row) -> [String]
  private var ahead: [Page] = []
  private var isAtEnd = false

  /// - Parameter uids: The accounts of a row.
  init(_ look: @escaping AccountLook, uids: @escaping (Row) -> [String]) {
    self.look = look
    self.uids = uids
  }

  /// The next page with its accounts; nil after the last.
  ///
  /// - Parameter read: Reads the rows of a page, which may be none; nil after the last.
  mutating func next(
    _ read: () async throws(BatchProblem) -> [Row]?
  ) async throws(BatchProblem) -> (rows: [Row], images: AccountImages)? {
    do {
      while !isAtEnd, ahead.count < Self.mostAhead {
        guard let rows = try await read() else {
          isAtEnd = true
          break
        }
        let uids = rows.flatMap(uids)
        let images = Task { [look] in
          do throws(BatchProblem) {
            return Result<AccountImages, BatchProblem>.success(try await look(uids))
          } catch {
            return .failure(error)
          }
        }
        ahead.append(Page(rows: rows, images: images))
      }
      guard !ahead.isEmpty else { return nil }
      let page = ahead.removeFirst()
      return (page.rows, try await page.images.value.get())
    } catch {
      await end()
      throw error
    }
  }

  /// Waits for the lookups that are still under way; required when not all pages are read.
  mutating func end() async {
    for page in ahead { _ = await page.images.value }
    ahead = []
    isAtEnd = true
  }
}
