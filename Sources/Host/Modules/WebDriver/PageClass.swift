import SignIn
import System
import HTTP
import Lua

enum PageClass {
  static func declare(_ interpreter: Interpreter) -> [(type: LuaClass, methods: [Declaration])] {
    let classes = interpreter.classes
    var page = Declarations(interpreter, owner: "page", type: classes.page)
    declarePlaces(&page)
    declareVerbs(&page, isElement: false)
    declareReading(&page, isElement: false)
    declareFinding(&page, interpreter, isElement: false)
    declareWaiting(&page)
    declareBrowser(&page, interpreter)
    declareAuthenticators(&page)
    classes.page.methods = page.members
    classes.page.properties = [timeoutProperty]
    classes.page.describe = { ($0 as? PageBox)?.page.isClosed == true ? "Page(closed)" : "Page" }
    classes.page.close = { ($0 as? PageBox)?.beginClose() }

    var element = Declarations(interpreter, owner: "element", type: classes.pageElement)
    declareVerbs(&element, isElement: true)
    declareReading(&element, isElement: true)
    declareFinding(&element, interpreter, isElement: true)
    classes.pageElement.methods = element.members
    classes.pageElement.describe = { object in
      "PageElement(\((object as? PageElementBox)?.path.words ?? ""))"
    }
    return [(classes.page, page.list), (classes.pageElement, element.list)]
  }

  private static var timeoutProperty: LuaClass.Property {
    .computed(
      "timeout", .number, "Seconds a verb waits for its element, unless it is told otherwise."
    ) { call in
      let limit = call.object(1, as: PageBox.self)?.page.timeout ?? .zero
      call.push(limit / .seconds(1))
      return .results(1)
    } set: { call throws(LuaError) in
      guard let seconds = call.number(2), seconds > 0, seconds <= 86_400 else {
        throw .message("page.timeout: more than 0 and at most 86400 seconds")
      }
      call.object(1, as: PageBox.self)?.page.timeout = .microseconds(Int64(seconds * 1e6))
      return .results(0)
    }
  }

  static var options: LuaParameter {
    LuaParameter(
      "options",
      .options([
        LuaParameter("timeout", .number, optional: true, "seconds to wait for the element")
      ]), optional: true)
  }

  static func locator(_ isElement: Bool) -> [LuaParameter] {
    isElement ? [] : [LocatorReader.parameter]
  }

  // MARK: Places

  private static func declarePlaces(_ page: inout Declarations) {
    page.wait(
      "go", "Opens an address and waits until it has loaded.",
      [LuaParameter("url", .string, "http or https, about:blank or data:")]
    ) { call throws(LuaError) in
      let box = try PageArguments(call).page
      let address = call.string(2) ?? ""
      return { () async throws(LuaError) in
        box.tell(.open, String(address.prefix { $0 != "?" && $0 != "#" }))
        try await paged { () async throws(PageError) in try await box.page.open(address) }
        return []
      }
    }
    text(&page, "url", "The address the browser shows, with query and fragment.") {
      page async throws(PageError) in try await page.address()
    }
    text(&page, "title", "The page's title.") {
      page async throws(PageError) in try await page.title()
    }
    text(&page, "source", "The document as it is now, as HTML.") {
      page async throws(PageError) in try await page.source()
    }
    deed(&page, "back", "Goes back by one page.") {
      page async throws(PageError) in try await page.back()
    }
    deed(&page, "reload", "Loads the page again.") {
      page async throws(PageError) in try await page.reload()
    }
    page.wait("close", "Ends the page and its browser; closing twice is no error.") {
      call throws(LuaError) in
      let box = try PageArguments(call).page
      return { () async throws(LuaError) in
        await box.close()
        return []
      }
    }
  }

  static func text(
    _ page: inout Declarations, _ name: String, _ summary: String,
    _ read: @escaping (Page) async throws(PageError) -> String
  ) {
    page.wait(name, summary, returns: "string") { call throws(LuaError) in
      let box = try PageArguments(call).page
      return { () async throws(LuaError) in
        [.string(try await paged { () async throws(PageError) in try await read(box.page) })]
      }
    }
  }

  static func deed(
    _ page: inout Declarations, _ name: String, _ summary: String,
    _ act: @escaping (Page) async throws(PageError) -> Void
  ) {
    page.wait(name, summary) { call throws(LuaError) in
      let box = try PageArguments(call).page
      return { () async throws(LuaError) in
        try await paged { () async throws(PageError) in try await act(box.page) }
        return []
      }
    }
  }
}
