import SignIn
import HTTP
import Lua

enum WebDriverModule {
  static func make(_ interpreter: Interpreter) -> Module {
    let classes = PageClass.declare(interpreter)
    var webdriver = Declarations(interpreter, owner: "webdriver")
    webdriver.wait(
      "open", "Opens a page in a browser of its own, which ends with page:close() or the script.",
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
            chosen, loop: interpreter.actor.loop, timeout: timeout ?? .seconds(10))
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
