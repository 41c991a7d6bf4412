internal import System
internal import IdentityToolkit

extension Backend {
  /// `accounts:batchGet`: the accounts in the order of their uids, page by page.
  func batchGet(_ call: Call) throws(Refusal) -> JSONObject {
    let limit = call.pageSize("maxResults", keepsZero: rules[.googleAnswers])
    let page = accounts.page(after: call.query.text("nextPageToken"), limit: limit ?? .max)
    var answer: JSONObject = [
      "kind": "identitytoolkit#DownloadAccountResponse",
      "users": .array(page.map { wire($0, isDownload: true) }),
    ]
    guard let limit, page.count >= limit, let last = page.last else { return answer }
    // In Firebase's emulator a page that is exactly full has a token even if nothing follows.
    let isLast = rules[.googleAnswers] && accounts.page(after: last.uid, limit: 1).isEmpty
    if !isLast { answer["nextPageToken"] = .string(last.uid) }
    return answer
  }
}

extension Call {
  /// The maximum number of entries of a page, from a query parameter.
  ///
  /// The default is 20, and the largest value 1,000. A negative number gives nil, which means all entries. Zero
  /// counts as absent, unless `keepsZero` is set.
  func pageSize(_ name: String, keepsZero: Bool = false) -> Int? {
    guard let number = query.all(name).last.flatMap(ScriptNumber.parse) else { return 20 }
    if number < 0 { return nil }
    return number == 0 && !keepsZero ? 20 : Int(min(number, 1000))
  }
}

extension FormFields {
  /// The first value of a parameter; an empty one counts as absent.
  func text(_ name: String) -> String? {
    self[name].flatMap { $0.isEmpty ? nil : $0 }
  }
}
