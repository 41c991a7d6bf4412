import HTTP
import Lua
import OIDC
import System

enum OIDCClientClass {
  static func declare(_ interpreter: Interpreter) -> [Declaration] {
    let type = interpreter.classes.oidcClient
    type.properties = [
      property("issuer", .string, "The issuer, as ID tokens name it.") {
        .string($0.metadata.issuer)
      },
      property("clientID", .string, "The client identifier.") { .string($0.credentials.id) },
      property("metadata", .table, "The metadata of the provider.") {
        [unowned interpreter] client in
        JSONBridge.value(.object(client.metadata.document), interpreter)
      },
    ]
    type.describe = { "OIDCClient(\((($0 as? OIDCClientBox)?.client.metadata.issuer) ?? "?"))" }
    var methods = Declarations(interpreter, owner: "client", type: type)
    signIn(&methods, interpreter)
    tokens(&methods, interpreter)
    signOut(&methods, interpreter)
    type.methods = methods.members
    return methods.list
  }

  private static func signIn(_ methods: inout Declarations, _ interpreter: Interpreter) {
    let classes = interpreter.classes
    methods.add(
      "begin", "Begins a sign-in: makes the page's address, with state, nonce and PKCE.",
      [OIDCOptions.authorization], returns: "OIDCFlow"
    ) { [unowned interpreter] call throws(LuaError) in
      let options = try OIDCOptions.authorization(call, 2, "begin")
      guard let client = call.object(1, as: OIDCClientBox.self)?.client else { return .results(0) }
      let flow = try interpreter.oidcChecked { () throws(OIDCError) in try client.begin(options) }
      call.push(interpreter.classes.oidcFlow, flow)
      return .results(1)
    }
    methods.wait(
      "finish", "Checks the response to a sign-in and exchanges it for tokens, once.",
      [
        LuaParameter("flow", .object(classes.oidcFlow)),
        LuaParameter(
          "finalURL", .string, "the complete address that the browser was redirected to"),
        LuaParameter("postBody", .secret, optional: true, "what it was made to post there"),
      ], returns: "OIDCTokens"
    ) { [unowned interpreter] call throws(LuaError) in
      let (address, body) = (call.string(3) ?? "", call.string(4).map { Secret($0) })
      let flow = call.object(2, as: OIDCFlow.self)
      return interpreter.oidcTokens(call) { client async throws(OIDCError) in
        guard let flow else { return nil }
        return try await client.finish(flow, finalURL: address, postBody: body)
      }
    }
    methods.wait(
      "signIn", "Signs a user in at the provider's page: begin, show and finish in one call.",
      [AuthModule.delegate(interpreter), OIDCOptions.authorization], returns: "OIDCTokens"
    ) { [unowned interpreter] call throws(LuaError) in
      let options = try OIDCOptions.authorization(call, 3, "signIn")
      let delegate = try interpreter.delegate(call, 2, of: "client:signIn()")
      let client = call.object(1, as: OIDCClientBox.self)?.client
      return { () async throws(LuaError) in
        guard let client else { return [] }
        let pages = OIDCPages(client: client, delegate: delegate, interpreter: interpreter)
        let tokens = try await pages.signIn(options)
        return [.object(interpreter.classes.oidcTokens, OIDCTokensBox(tokens))]
      }
    }
    methods.wait(
      "device", "Requests a code that a user enters on another device.",
      [
        LuaParameter(
          "options",
          .options([
            LuaParameter(
              "scopes", .list(.string), optional: true, "the client's own when not given")
          ]), optional: true)
      ], returns: "OIDCDevice"
    ) { [unowned interpreter] call throws(LuaError) in
      let scopes: [String]? =
        call.isTable(2) ? call.field(2, "scopes") { $0.isNil($1) ? nil : $0.strings($1) } : nil
      return interpreter.oidcEffect(call) { client async throws(OIDCError) in
        let flow = try await client.beginDevice(scopes: scopes)
        return [.object(interpreter.classes.oidcDevice, OIDCDeviceBox(client, flow))]
      }
    }
  }

  private static func property(
    _ name: String, _ kind: LuaParameter.Kind, _ summary: String,
    _ read: @escaping (OIDCClient) -> LuaValue
  ) -> LuaClass.Property {
    .computed(name, kind, summary) { call in
      call.push(call.object(1, as: OIDCClientBox.self).map { read($0.client) } ?? .nil)
      return .results(1)
    }
  }
}

extension Interpreter {
  /// An effect with the client that a method was called on.
  func oidcEffect(
    _ call: LuaCall, _ work: @escaping (OIDCClient) async throws(OIDCError) -> [LuaValue]
  ) -> Effect {
    let client = call.object(1, as: OIDCClientBox.self)?.client
    return { () async throws(LuaError) in
      try await self.oidc { () async throws(OIDCError) in
        guard let client else { return [] }
        return try await work(client)
      }
    }
  }

  /// An effect that returns tokens; those that a refresh does not renew are taken from `previous`.
  func oidcTokens(
    _ call: LuaCall, after previous: OIDCTokensBox? = nil,
    _ work: @escaping (OIDCClient) async throws(OIDCError) -> OIDCTokens?
  ) -> Effect {
    oidcEffect(call) { client async throws(OIDCError) in
      guard let tokens = try await work(client) else { return [] }
      return [.object(self.classes.oidcTokens, OIDCTokensBox(tokens, after: previous))]
    }
  }
}

enum OIDCFlowClass {
  static func declare(_ interpreter: Interpreter) -> [Declaration] {
    let type = interpreter.classes.oidcFlow
    type.properties = [
      property("url", "The page to open, with state, nonce and PKCE challenge.") {
        $0.url.description
      },
      property("redirectURI", "The redirect address.") { $0.redirectURI.description },
      property("state", "The state that the response must have.") { $0.state.reveal() },
      property("nonce", "What the ID token must carry, if a nonce is sent.") {
        $0.nonce?.reveal()
      },
      property("rawNonce", "What the nonce is the SHA-256 of, for Firebase.") {
        $0.rawNonce?.reveal()
      },
    ]
    type.describe = { "OIDCFlow(\(($0 as? OIDCFlow)?.url.origin ?? "?"))" }
    return []
  }

  private static func property(
    _ name: String, _ summary: String, _ read: @escaping (OIDCFlow) -> String?
  ) -> LuaClass.Property {
    .computed(name, .string, optional: name.hasSuffix("once"), summary) { call in
      call.push(.string(ifAny: call.object(1, as: OIDCFlow.self).flatMap(read)))
      return .results(1)
    }
  }
}

enum OIDCDeviceClass {
  static func declare(_ interpreter: Interpreter) -> [Declaration] {
    let type = interpreter.classes.oidcDevice
    type.properties = [
      property("userCode", .string, "The code that the user types.") { .string($0.userCode) },
      property("verificationURI", .string, "The page that the user opens.") {
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
      "wait", "Waits until the user has finished on the other device.",
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
