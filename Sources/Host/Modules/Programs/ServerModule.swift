import HTTP
import Lua

enum ServerModule {
  static func make(_ interpreter: Interpreter) -> Module {
    let serverClass = interpreter.classes.server
    let methods = members(interpreter)
    var server = Declarations(interpreter, owner: "server")
    server.add(
      "start",
      "Starts an HTTP server on this machine, which ends with server:stop() or the script.",
      [
        LuaParameter(
          "options",
          .options([
            LuaParameter("port", .integer, optional: true, "the port; by default a free one")
          ]), optional: true)
      ], returns: "Server"
    ) { [unowned interpreter] call throws(LuaError) in
      let given = call.isTable(1) ? call.field(1, "port") { $0.integer($1) } : nil
      guard let port = UInt16(exactly: given ?? 0) else {
        throw .message("option 'port': from 1 to 65535, or 0 for a free one")
      }
      do throws(HTTPError) {
        call.push(.object(serverClass, try ScriptServer(port: port, interpreter)))
      } catch {
        throw .object([
          ("code", .string(error.code.rawValue)), ("message", .string(error.message)),
          ("hint", .string(error.hint)),
        ])
      }
      return .results(1)
    }
    return Module(
      "luath.server",
      "A small HTTP server in a script, for blocking functions, webhooks and mocks.",
      server.list, classes: [(serverClass, methods)])
  }

  private static func members(_ interpreter: Interpreter) -> [Declaration] {
    let serverClass = interpreter.classes.server
    var methods = Declarations(interpreter, owner: "server", type: serverClass)
    methods.add(
      "on", "Sets the reply to requests of a method and path; later ones take precedence.",
      [
        LuaParameter("method", .string, "such as POST; * for any"),
        LuaParameter("path", .string, "such as /hook; * stands for any text"),
        LuaParameter(
          "reply", .either([.function, .bytes, .options(ReplyReader.fields)]),
          "a text, a table, or a function that receives the request and returns one"),
      ]
    ) { call throws(LuaError) in
      let server = try server(call)
      let method = (call.string(2) ?? "").uppercased()
      let path = call.string(3) ?? ""
      guard path.hasPrefix("/") || path.hasPrefix("*") else {
        throw .message("bad argument #2 to 'on' (a path such as /hook expected)")
      }
      let reply: ScriptServer.Reply
      do throws(LuaError) {
        reply =
          call.isFunction(4)
          ? .function(call.reference(4)) : .fixed(try ReplyReader(call, 4).response())
      } catch {
        guard case .message(let text) = error else { throw error }
        throw .message("bad argument #3 to 'on' (\(text))")
      }
      server.add(method, path, reply, origin: call.place)
      return .results(0)
    }
    methods.add(
      "requests", "The requests so far, at most the last 1000, oldest first.",
      returns: "a list of tables"
    ) { call throws(LuaError) in
      call.push(.list(try server(call).requests()))
      return .results(1)
    }
    methods.wait(
      "waitForRequest",
      "Waits for a request that it has not returned yet; the oldest that fits comes first.",
      [
        LuaParameter(
          "options",
          .options([
            LuaParameter("method", .string, optional: true, "such as POST; any"),
            LuaParameter("path", .string, optional: true, "such as /hook or /users/*; any"),
            LuaParameter("timeout", .number, optional: true, "seconds to wait; 30"),
          ]), optional: true)
      ], returns: "a table"
    ) { call throws(LuaError) in
      let server = try server(call)
      let isGiven = call.isTable(2)
      let method = isGiven ? call.field(2, "method") { $0.string($1) } : nil
      let path = isGiven ? call.field(2, "path") { $0.string($1) } : nil
      let limit = isGiven ? try PageArguments.duration(call, 2, "timeout") : nil
      return { () async throws(LuaError) in
        [
          try await server.next(
            method?.uppercased() ?? "*", path ?? "*", within: limit ?? .seconds(30))
        ]
      }
    }
    methods.add("clear", "Forgets the requests so far.") { call throws(LuaError) in
      try server(call).clear()
      return .results(0)
    }
    methods.add("stop", "Closes the port; stopping twice is no error.") { call throws(LuaError) in
      try server(call).stop()
      return .results(0)
    }
    serverClass.methods = methods.members
    serverClass.properties = [
      .computed("url", .string, "The address of the server, without a path.") { call in
        let port = call.object(1, as: ScriptServer.self)?.port ?? 0
        call.push("http://127.0.0.1:\(port)")
        return .results(1)
      },
      .computed("port", .integer, "The port of the server.") { call in
        call.push(.integer(Int64(call.object(1, as: ScriptServer.self)?.port ?? 0)))
        return .results(1)
      },
    ]
    serverClass.describe = { object in
      (object as? ScriptServer).map { $0.isStopped ? "Server(stopped)" : "Server(\($0.port))" }
        ?? "Server"
    }
    serverClass.close = { object, _ in (object as? ScriptServer)?.stop() }
    return methods.list
  }

  private static func server(_ call: LuaCall) throws(LuaError) -> ScriptServer {
    guard let server = call.object(1, as: ScriptServer.self) else {
      throw .message("a Server expected")
    }
    return server
  }
}
