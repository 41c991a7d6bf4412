import SignIn
import System
import Lua

/// The methods that a page has for an element by its locator, and an element for itself.
extension PageClass {
  static func declareVerbs(_ methods: inout Declarations, isElement: Bool) {
    act(&methods, "click", "Clicks the element.", isElement) {
      page, path, limit async throws(PageError) in try await page.click(path, within: limit)
    }
    act(&methods, "check", "Ticks the box or chooses the radio button.", isElement) {
      page, path, limit async throws(PageError) in
      try await page.setChecked(true, path, within: limit)
    }
    act(&methods, "uncheck", "Takes the tick out of the box.", isElement) {
      page, path, limit async throws(PageError) in
      try await page.setChecked(false, path, within: limit)
    }
    give(
      &methods, "fill", "Replaces what stands in a field; the text is in no error.",
      LuaParameter("text", .string), isElement
    ) { call, index in
      call.string(index).map { Secret($0) }
    } _: {
      page, path, text, limit async throws(PageError) in
      try await page.fill(path, text, within: limit)
    }
    give(
      &methods, "select", "Chooses options of a drop-down by value or words.",
      LuaParameter("options", .either([.string, .list(.string)])), isElement
    ) { call, index in
      call.string(index).map { [$0] } ?? call.strings(index)
    } _: {
      page, path, wanted, limit async throws(PageError) in
      try await page.select(wanted, in: path, within: limit)
    }
    give(
      &methods, "upload", "Chooses a file in a field for files.",
      LuaParameter("file", .string, "an absolute path on the browser's machine"), isElement
    ) { call, index in
      call.string(index)
    } _: {
      page, path, file, limit async throws(PageError) in
      try await page.upload(file, to: path, within: limit)
    }
    declarePress(&methods, isElement)
  }

  private static func declarePress(_ methods: inout Declarations, _ isElement: Bool) {
    var parameters = [LuaParameter("key", .string, "a character, Enter, Tab, Control+a, …")]
    if !isElement {
      parameters.append(
        LuaParameter("locator", LocatorReader.kind, optional: true, "else what has the focus"))
    }
    methods.wait("press", "Presses a key.", parameters + [options]) { call throws(LuaError) in
      let arguments = try PageArguments(call)
      guard let key = Keystroke(call.string(2) ?? "") else {
        throw .message(
          "bad argument #1 to 'press' (a character or one of "
            + Keystroke.names.joined(
              separator: ", ") + ", joined with +)")
      }
      var path = arguments.element?.path
      if !isElement, !call.isNil(3) { path = try LocatorReader.read(call, 3) }
      let limit = try arguments.timeout(isElement ? 3 : 4)
      return { () async throws(LuaError) in
        try await paged { () async throws(PageError) in
          try await arguments.page.page.press(key, in: path, within: limit)
        }
        return []
      }
    }
  }

  static func declareReading(_ methods: inout Declarations, isElement: Bool) {
    let optional =
      isElement
      ? []
      : [
        LuaParameter("locator", LocatorReader.kind, optional: true, "the whole page without it")
      ]
    methods.wait(
      "text", "The visible text in it, white space collapsed.", optional + [options],
      returns: "string"
    ) { call throws(LuaError) in
      let arguments = try PageArguments(call)
      let isWhole = arguments.element == nil && call.isNil(2)
      let path = isWhole ? ElementPath([.css("body")]) : try arguments.target().path
      let limit = try arguments.timeout(isElement ? 2 : 3)
      return { () async throws(LuaError) in
        [
          .string(
            try await paged { () async throws(PageError) in
              try await arguments.page.page.text(of: path, within: limit)
            })
        ]
      }
    }
    methods.wait(
      "attribute", "An attribute as it stands in the document.",
      locator(isElement) + [LuaParameter("name", .string), options], returns: "string or nil"
    ) { call throws(LuaError) in
      let arguments = try PageArguments(call)
      let (path, next) = try arguments.target()
      let name = call.string(next) ?? ""
      let limit = try arguments.timeout(next + 1)
      return { () async throws(LuaError) in
        [
          .string(
            ifAny: try await paged { () async throws(PageError) in
              try await arguments.page.page.attribute(name, of: path, within: limit)
            })
        ]
      }
    }
    methods.wait(
      "value", "What stands in a field.", locator(isElement) + [options], returns: "string"
    ) { call throws(LuaError) in
      let arguments = try PageArguments(call)
      let (path, next) = try arguments.target()
      let limit = try arguments.timeout(next)
      return { () async throws(LuaError) in
        [
          .string(
            try await paged { () async throws(PageError) in
              try await arguments.page.page.value(of: path, within: limit)
            })
        ]
      }
    }
    methods.wait(
      "isVisible", "Whether such an element is visible now; waits for nothing.",
      locator(isElement), returns: "boolean"
    ) { call throws(LuaError) in
      let arguments = try PageArguments(call)
      let path = try arguments.target().path
      return { () async throws(LuaError) in
        let count = try await paged { () async throws(PageError) in
          try await arguments.page.page.count(path)
        }
        return [.boolean(count > 0)]
      }
    }
  }

  static func declareFinding(
    _ methods: inout Declarations, _ interpreter: Interpreter, isElement: Bool
  ) {
    methods.wait(
      "find", "Waits for an element, which has the page's verbs without a locator.",
      [LocatorReader.parameter, options], returns: "PageElement"
    ) { [unowned interpreter] call throws(LuaError) in
      let arguments = try PageArguments(call)
      let inner = try LocatorReader.read(call, 2)
      let path = arguments.element?.path.inside(inner) ?? inner
      let limit = try arguments.timeout(3)
      return { () async throws(LuaError) in
        try await paged { () async throws(PageError) in
          try await arguments.page.page.wait(for: path, within: limit)
        }
        return [.object(interpreter.classes.pageElement, PageElementBox(arguments.page, path))]
      }
    }
    methods.wait(
      "findAll", "The visible elements, perhaps none; waits for nothing.",
      [LocatorReader.parameter], returns: "a list of PageElement"
    ) { [unowned interpreter] call throws(LuaError) in
      let arguments = try PageArguments(call)
      let inner = try LocatorReader.read(call, 2)
      let path = arguments.element?.path.inside(inner) ?? inner
      return { () async throws(LuaError) in
        let count = try await paged { () async throws(PageError) in
          try await arguments.page.page.count(path)
        }
        guard count > 0 else { return [.list([])] }
        let elements = (1...count).map { place in
          LuaValue.object(
            interpreter.classes.pageElement, PageElementBox(arguments.page, path.at(place)))
        }
        return [.list(elements)]
      }
    }
  }

  // MARK: Shapes of verbs

  private static func act(
    _ methods: inout Declarations, _ name: String, _ summary: String, _ isElement: Bool,
    _ verb: @escaping (Page, ElementPath, Duration?) async throws(PageError) -> Void
  ) {
    methods.wait(name, summary, locator(isElement) + [options]) { call throws(LuaError) in
      let arguments = try PageArguments(call)
      let (path, next) = try arguments.target()
      let limit = try arguments.timeout(next)
      return { () async throws(LuaError) in
        arguments.page.tell(.press, path.words)
        try await paged { () async throws(PageError) in
          try await verb(arguments.page.page, path, limit)
        }
        return []
      }
    }
  }

  private static func give<Value>(
    _ methods: inout Declarations, _ name: String, _ summary: String, _ parameter: LuaParameter,
    _ isElement: Bool, _ read: @escaping (LuaCall, Int) -> Value?,
    _ verb: @escaping (Page, ElementPath, Value, Duration?) async throws(PageError) -> Void
  ) {
    methods.wait(name, summary, locator(isElement) + [parameter, options]) {
      call throws(LuaError) in
      let arguments = try PageArguments(call)
      let (path, next) = try arguments.target()
      guard let value = read(call, next) else {
        throw .message("'\(name)' got no \(parameter.name)")
      }
      let limit = try arguments.timeout(next + 1)
      return { () async throws(LuaError) in
        arguments.page.tell(.type, path.words)
        if let text = value as? Secret {
          arguments.page.hide(text.reveal(), typedInto: path.words)
        }
        try await paged { () async throws(PageError) in
          try await verb(arguments.page.page, path, value, limit)
        }
        return []
      }
    }
  }
}
