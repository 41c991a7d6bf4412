import System

extension PlanHeader {
  /// Reads the first line of a plan file; the caller has checked its kind and version.
  init(json: JSON) throws(RowFailure) {
    let reader = try MemberReader(
      json.object ?? [:], of: "",
      names: [
        "luath", "version", "project", "tenant", "script", "scriptDigest", "input", "columns",
        "made", "sample",
      ])
    self.init(
      projectID: try reader.text("project"), tenantID: try reader.textIfAny("tenant"),
      script: try reader.text("script"), scriptDigest: try reader.text("scriptDigest"),
      input: try reader.text("input"), columns: try reader.textsIfAny("columns") ?? [],
      made: try reader.text("made"),
      sample: reader.value("sample") == nil ? nil : try reader.whole("sample"))
  }

  var json: JSON {
    var object: JSONObject = [
      "luath": "plan", "version": .integer(Self.version), "project": .string(projectID),
    ]
    object["tenant"] = tenantID.map(JSON.string)
    object["script"] = .string(script)
    object["scriptDigest"] = .string(scriptDigest)
    object["input"] = .string(input)
    object["columns"] = .array(columns.map(JSON.string))
    object["made"] = .string(made)
    object["sample"] = sample.map(JSON.integer)
    return .object(object)
  }
}
