import HTTP
import Lua
import SignIn
import System

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
    declareSignIn(&page, interpreter)
    declareAuthenticators(&page)
    classes.page.methods = page.members
    classes.page.properties = [timeoutProperty]
    classes.page.describe = { ($0 as? PageBox)?.page.isClosed == true ? "Page(closed)" : "Page" }
    classes.page.close = { page, hasFailed in
      (page as? PageBox)?.beginClose(afterError: hasFailed)
    }

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
      "timeout", .number, "Seconds that a verb waits for its element, without the option timeout."
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
        box.tell(.open, Page.place(address))
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

enum WebDriverModule {
  static func make(_ interpreter: Interpreter) -> Module {
    let classes = PageClass.declare(interpreter)
    var webdriver = Declarations(interpreter, owner: "webdriver")
    webdriver.wait(
      "open", "Opens a page in a new browser, which ends with page:close() or the script.",
      [LuaParameter("options", .options(BrowserReader.fields + own), optional: true)],
      returns: "Page"
    ) { [unowned interpreter] call throws(LuaError) in
      var options = interpreter.context.browser
      try BrowserReader.read(call, 1, into: &options)
      let timeout = call.isTable(1) ? try PageArguments.duration(call, 1, "timeout") : nil
      let chosen = options
      return { () async throws(LuaError) in
        let page = try await paged { () async throws(PageError) in
          try await Page.open(
            chosen, loop: interpreter.actor.loop, timeout: timeout ?? .seconds(10),
            recorder: interpreter.pageRecorder)
        }
        return [.object(interpreter.classes.page, PageBox(page, interpreter, isOwned: true))]
      }
    }
    return Module(
      "luath.webdriver", "Web pages in a browser, driven over WebDriver.", webdriver.list,
      classes: classes)
  }

  private static var own: [LuaParameter] {
    [LuaParameter("timeout", .number, optional: true, "seconds a verb waits for its element; 10")]
  }
}

enum BrowserReader {
  static var fields: [LuaParameter] {
    [
      LuaParameter("headless", .boolean, optional: true, "false shows a window"),
      LuaParameter("browser", .string, optional: true, "the browser's path"),
      LuaParameter("driver", .string, optional: true, "the address of a WebDriver that runs"),
      LuaParameter("windowSize", .list(.integer), optional: true, "width and height in pixels"),
      LuaParameter("language", .string, optional: true, "of pages and browser, such as fr"),
    ]
  }

  /// Overrides the run's options by those in the table.
  static func read(
    _ call: LuaCall, _ index: Int, into options: inout BrowserOptions
  ) throws(LuaError) {
    guard call.isTable(index) else { return }
    call.field(index, "headless") { if !$0.isNil($1) { options.isHeadless = $0.boolean($1) } }
    if let path = call.field(index, "browser", { $0.string($1) }) { options.browser = path }
    if let driver = call.field(index, "driver", { $0.string($1) }) {
      guard let url = WebURL(driver) else {
        throw .message("option 'driver': the address of a WebDriver, such as http://127.0.0.1:9515")
      }
      options.driverURL = url
    }
    let size = call.field(index, "windowSize") { call, at -> [Int64]? in
      guard call.isTable(at) else { return nil }
      return (0..<call.length(at)).compactMap { place in
        call.item(at, place + 1) { $0.integer($1) }
      }
    }
    if let size {
      guard size.count == 2, size.allSatisfy({ (1...16_384).contains($0) }) else {
        throw .message("option 'windowSize': width and height in pixels, such as { 1280, 900 }")
      }
      options.windowSize = (Int(size[0]), Int(size[1]))
    }
    if let language = call.field(index, "language", { $0.string($1) }) {
      options.language = language
    }
  }
}
