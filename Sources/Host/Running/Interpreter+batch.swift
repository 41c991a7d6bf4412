public import Client
public import HTTP
import IdentityToolkit
import Lua

extension Interpreter {
  /// Runs a script to the end of its text, and passes its result to a function of a module.
  public func open(
    _ script: Script, givingTo module: String, _ function: String
  ) async -> ScriptOutcome {
    let outcome = await open(script)
    guard case .finished = outcome else { return outcome }
    let value = opened.first.map(LuaValue.reference) ?? .nil
    do throws(LuaError) {
      return await finish(try spawn(caller, [.string(module), .string(function), value]))
    } catch {
      return .failed(describe(error, traceback: ""))
    }
  }

  /// The administrator of the run's target or of a tenant, with the key that the environment names.
  public func administrator(tenantID: String?) throws(ScriptFailure) -> Admin {
    do throws(LuaError) {
      return try makeAdmin(target: nil, nil, tenantID: tenantID)
    } catch {
      throw describe(error, traceback: "")
    }
  }

  /// The transport to the run's target, which applies the guard of real projects and monitors their quotas.
  public var guardedTransport: any Transport { transport }

  /// Starts work on the interpreter's loop, after the caller gives up the thread.
  public func begin(_ work: @escaping () async -> Void) { start(work) }
}
