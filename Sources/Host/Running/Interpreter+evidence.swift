import Lua
public import SignIn
import System

/// Records of the pages that a script drives.
extension Interpreter {
  /// Records what pages show, and what their browsers log, as the observer wants it.
  var pageRecorder: PageRecorder {
    guard let observer = context.observer else {
      // For the pictures of `--pages`.
      return PageRecorder(clean: { [secrets] in secrets.clean($0) })
    }
    var took: (@Sendable (PageEvidence) -> Void)?
    var logged: (@Sendable ([BrowserEntry]) -> Void)?
    if observer.recordsEvidence { took = { observer.took($0) } }
    if observer.recordsBrowserLogs { logged = { observer.logged($0) } }
    return PageRecorder(
      moment: observer.pageMoment, clean: { observer.clean($0) }, took: took, logged: logged)
  }

  /// Records all open pages of the script, with what their browsers have logged.
  ///
  /// Takes at most seconds for each page, also when a browser no longer responds.
  public func recordPages(_ name: String, _ reason: PageEvidence.Reason) async {
    let pages = resources.pages.filter { !$0.hasFailed }
    for page in pages { await page.record(name, reason, isOneOfSeveral: pages.count > 1) }
  }

  /// Passes on what the browsers of open pages have logged so far.
  public func recordPageLogs() async {
    for page in resources.pages { await page.recordLogs() }
  }
}

/// Attachments of journeys.
extension RunnerModule {
  static func addEvidence(to runner: inout Declarations, _ interpreter: Interpreter) {
    let observer = interpreter.context.observer
    runner.add(
      "attach", "Adds a text or bytes to the reports of the journey.",
      [
        LuaParameter("name", .string), LuaParameter("data", .bytes),
        LuaParameter("type", .string, optional: true, "the media type"),
      ]
    ) { call throws(LuaError) in
      let bytes = call.bytes(2) ?? []
      // Parameters such as a charset say nothing about a string of Lua.
      let type = call.string(3).map { BodyKind.mimeType($0) } ?? AttachmentType.guess(bytes)
      guard AttachmentType.isValid(type) else {
        throw .message(
          "bad argument #3 to 'attach' (a media type expected, such as text/plain or image/png)")
      }
      observer?.attached(
        ScriptAttachment(name: call.string(1) ?? "", type: type, bytes: bytes))
      return .results(0)
    }
    runner.wait(
      "record",
      "Adds the picture and HTML of open pages, or of one page, to the journey's reports.",
      [
        LuaParameter("name", .string), LuaParameter("reason", .string, "failure, step or request"),
        LuaParameter("page", .object(interpreter.classes.page), optional: true),
      ]
    ) { [unowned interpreter] call throws(LuaError) in
      let name = call.string(1) ?? ""
      let page = call.object(3, as: PageBox.self)?.page
      let reason: PageEvidence.Reason =
        switch call.string(2) {
        case "failure": .failure
        case "step": .step
        default: .request
        }
      return { () async throws(LuaError) in
        if let page {
          try await paged { () async throws(PageError) in
            guard page.isClosed else { return }
            throw PageError(
              .pageClosed, "the page was closed", hint: "attach a page before you close it")
          }
          await page.record(name, reason)
        } else {
          await interpreter.recordPages(name, reason)
        }
        return []
      }
    }
    runner.add("pages", "How many pages the file has opened so far.", returns: "integer") {
      [unowned interpreter] call in
      call.push(Int64(interpreter.resources.pageCount))
      return .results(1)
    }
    runner.add(
      "leavePages", "Marks pages as those of a block that was left, which show nothing of others.",
      [
        LuaParameter("after", .integer, "how many pages were opened before them"),
        LuaParameter("last", .integer),
      ]
    ) { [unowned interpreter] call in
      let (after, last) = (Int(call.integer(1) ?? 0), Int(call.integer(2) ?? 0))
      if after < last { interpreter.resources.leave(after + 1...last) }
      return .results(0)
    }
    runner.add(
      "records", "Whether open pages are recorded for a reason.",
      [LuaParameter("reason", .string, "failure or step")], returns: "boolean"
    ) { [unowned interpreter] call in
      let isWanted =
        switch observer?.pageMoment {
        case .step?: true
        case .failure?: call.string(1) == "failure"
        case nil: false
        }
      call.push(isWanted && !interpreter.resources.pages.isEmpty)
      return .results(1)
    }
  }
}

/// The media types of attachments.
enum AttachmentType {
  /// Whether a text is a media type without parameters.
  static func isValid(_ type: String) -> Bool {
    let halves = type.split(separator: "/", omittingEmptySubsequences: false)
    return halves.count == 2
      && halves.allSatisfy { half in
        !half.isEmpty && half.utf8.count < 64
          && half.utf8.allSatisfy {
            $0.isLetterOrDigit || [0x21, 0x2B, 0x2D, 0x2E, 0x5F].contains($0)
          }
      }
  }

  /// Returns the type of some content: of a PNG or JPEG, of JSON, HTML or another text, or else of bytes.
  static func guess(_ bytes: [UInt8]) -> String {
    if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47]) { return "image/png" }
    if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
    guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
      return "application/octet-stream"
    }
    if JSON.structure(text) != nil { return "application/json" }
    return BodyKind(nil, bytes) == .html ? "text/html" : "text/plain"
  }
}
