import HTTP
import Lua
import OIDC

enum OIDCDeviceClass {
  static func declare(_ interpreter: Interpreter) -> [Declaration] {
    let type = interpreter.classes.oidcDevice
    type.properties = [
      property("userCode", .string, "What the person types.") { .string($0.userCode) },
      property("verificationURI", .string, "The page the person opens.") {
        .string($0.verificationURI.description)
      },
      property("verificationURIComplete", .string, "The page with the code in it, if any.") {
        .string(ifAny: $0.verificationURIComplete?.description)
      },
      property("expiresIn", .integer, "How many seconds the code lasts.") {
        .integer($0.expiresIn)
      },
      property("interval", .number, "How many seconds pass between two questions.") {
        .number($0.interval)
      },
    ]
    type.describe = { object in
      "OIDCDevice(\((object as? OIDCDeviceBox)?.flow.verificationURI.origin ?? "?"))"
    }
    var methods = Declarations(interpreter, owner: "device", type: type)
    methods.wait(
      "wait", "Waits until the person is done on the other device.",
      [LuaParameter("timeout", .number, optional: true, "seconds; until the code expires")],
      returns: "OIDCTokens"
    ) { [unowned interpreter] call throws(LuaError) in
      guard let device = call.object(1, as: OIDCDeviceBox.self) else {
        return { () async throws(LuaError) in [] }
      }
      var limit: Duration?
      if let seconds = call.number(2) {
        guard seconds > 0, seconds <= 86_400 else {
          throw .message("bad argument #1 to 'wait' (seconds between 0 and 86400)")
        }
        limit = .milliseconds(Int64(seconds * 1000))
      }
      return { () async throws(LuaError) in
        try await interpreter.oidc { () async throws(OIDCError) in
          let tokens = try await device.client.finishDevice(device.flow, limit: limit)
          return [.object(interpreter.classes.oidcTokens, OIDCTokensBox(tokens))]
        }
      }
    }
    type.methods = methods.members
    return methods.list
  }

  private static func property(
    _ name: String, _ kind: LuaParameter.Kind, _ summary: String,
    _ read: @escaping (DeviceFlow) -> LuaValue
  ) -> LuaClass.Property {
    .computed(name, kind, optional: true, summary) { call in
      call.push(call.object(1, as: OIDCDeviceBox.self).map { read($0.flow) } ?? .nil)
      return .results(1)
    }
  }
}

final class OIDCDeviceBox {
  let client: OIDCClient
  let flow: DeviceFlow

  init(_ client: OIDCClient, _ flow: DeviceFlow) {
    self.client = client
    self.flow = flow
  }
}
