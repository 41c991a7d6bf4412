import Client
import HTTP
import Host

extension BatchTarget {
  /// The admin client for a target, as scripts have it.
  static func administrator(
    _ context: ScriptContext, _ tenantID: String?, _ loop: EventLoop
  ) throws(BatchProblem) -> sending Admin {
    do throws(ScriptFailure) {
      return try Interpreter(context: context, actor: LoopActor(loop)).administrator(
        tenantID: tenantID)
    } catch {
      throw BatchProblem(.unavailable, error.message.printable, hint: error.hint ?? "")
    }
  }
}
