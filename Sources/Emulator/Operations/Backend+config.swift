internal import System
internal import IdentityToolkit

extension Backend {
  func config() throws(Refusal) -> JSONObject {
    guard tenantID == nil else {
      throw Refusal(verbatim: "((Can only get top-level configurations on agent projects.))")
    }
    return rules[.projectSettings]
      ? project.wholeSettings(withTemplates: true) : project.wireSettings
  }

  func updateConfig(_ call: Call) throws(Refusal) -> JSONObject {
    guard tenantID == nil else {
      throw Refusal(verbatim: "((Can only update top-level configurations on agent projects.))")
    }
    try project.change(call.fields.object, mask: call.query.text("updateMask"))
    return rules[.projectSettings]
      ? project.wholeSettings(withTemplates: false) : project.wireSettings
  }
}
