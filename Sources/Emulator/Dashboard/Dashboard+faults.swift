internal import System
internal import HTTP
internal import IdentityToolkit

extension Dashboard {
  /// Adds, removes or replaces faults.
  func changeFaults(_ request: HTTPRequest, _ form: FormFields) async -> ServerResponse {
    let now = faults
    var list = (now["faults"]?.array ?? []).map(Self.withoutCounters)
    var seed = now["seed"] ?? "0"
    let notice: DashboardNotice
    switch form["action"] {
    case "edit":
      let fault = list.first { sameText($0.encoded(), form["fault"]) }
      return page(request).faults(now, typed: fault.map(FaultForm.fields) ?? FormFields())
    case "add", "change":
      let old = form["fault"]
      let place = list.firstIndex { sameText($0.encoded(), old) }
      let fault = FaultForm.fault(form, changing: place.map { list[$0] })
      if let problem = FaultForm.problem(with: fault) {
        return page(request).faults(now, typed: form, problem: problem, status: 400)
      }
      // Another client may have removed the fault meanwhile.
      if let place { list[place] = fault } else { list.append(fault) }
      notice = .saved
    case "remove":
      // By value, as another client may have changed the list since the page was loaded.
      let place = list.firstIndex { sameText($0.encoded(), form["fault"]) }
      if let place { list.remove(at: place) }
      notice = .removed
    case "replace":
      guard let typed = (try? JSON.parse(form["faults"] ?? ""))?.array else {
        return page(request).faults(
          now, typed: form, problem: "The text is not a JSON list of faults.", status: 400)
      }
      list = typed
      seed = .string(form["seed"] ?? "0")
      notice = .saved
    case "clear":
      list = []
      notice = .removed
    default: return page(request).problem(400, "The form has an unknown action.")
    }
    let reply = await calls.send(
      "PUT", Self.faultsPath, ["seed": seed, "faults": .array(list)])
    guard let refusal = reply.refusal else {
      return Self.go(to: "/emulator/ui/faults", notice)
    }
    return page(request).faults(now, typed: form, problem: refusal, status: reply.status)
  }

  static func withoutCounters(_ fault: JSON) -> JSON {
    guard var object = fault.object else { return fault }
    for counter in ["seen", "struck"] { object[counter] = nil }
    return .object(object)
  }
}

extension DashboardPage {
  /// The faults with their counters, and forms to change them.
  func faults(
    _ faults: JSON, typed: FormFields = FormFields(), problem: String? = nil, status: Int = 200
  ) -> ServerResponse {
    let list = faults["faults"]?.array ?? []
    return response(
      status: status, .faults, title: "Faults", problem: problem,
      content: """
        <h1>Faults</h1>
        <p class="lead">Requests that fail on purpose: delays, errors and lost responses. Each change restarts \
        all counters.</p>
        <div id="faults" data-live>\(list.isEmpty ? Self.noFaults : table(list))</div>
        <div class="columns">
        \(addForm(typed))
        \(editor(list, seed: faults["seed"]?.string ?? "0", typed))
        </div>
        """)
  }

  private static let noFaults: Markup = """
    <div class="card empty"><p><b>No faults.</b> The emulator carries out every request.</p></div>
    """

  private func table(_ list: [JSON]) -> Markup {
    let rows = list.map { fault -> Markup in
      let settings = Dashboard.withoutCounters(fault)
      let operation = fault["operation"]?.string.flatMap { $0 == "*" ? nil : $0 }
      return """
        <tr><th scope="row">\(operation ?? "every operation")</th>\
        <td>\(FaultForm.words(settings))</td>\
        <td class="num">\(number(Int(fault["seen"]?.integer ?? 0)))</td>\
        <td class="num">\(number(Int(fault["struck"]?.integer ?? 0)))</td>\
        <td class="num">\(form("/emulator/ui/faults", class: "inline"))\
        <input type="hidden" name="fault" value="\(settings.encoded())">\
        <button class="small" name="action" value="edit" type="submit">Edit</button> \
        <button class="small" name="action" value="remove" type="submit">Remove</button></form></td></tr>

        """
    }
    return """
      <div class="card flush"><table>
      <thead><tr><th scope="col">Operation</th><th scope="col">Fault</th>\
      <th scope="col" class="num">Requests</th><th scope="col" class="num">Failed</th>\
      <th scope="col"><span class="hidden">Actions</span></th></tr></thead>
      <tbody>
      \(rows)</tbody></table></div>
      """
  }

  private func addForm(_ typed: FormFields) -> Markup {
    let isChange = typed["action"] == "change"
    let isTyped = isChange || typed["action"] == "add"
    func value(_ name: String) -> String { isTyped ? typed[name] ?? "" : "" }
    func input(_ name: String, _ hint: String? = nil) -> Markup {
      field(name, FaultForm.label(name), value: value(name), hint: hint)
    }
    func box(_ name: String) -> Markup {
      checkbox(name, FaultForm.label(name), isOn: isTyped && typed[name] != nil)
    }
    let kept: Markup =
      isChange
      ? "<input type=\"hidden\" name=\"fault\" value=\"\(typed["fault"] ?? "")\">" : .nothing
    let more: Markup = isChange ? " open" : .nothing
    let operations = APIOperation.allCases.map { each -> Markup in
      "<option value=\"\(each.rawValue)\"></option>"
    }
    return """
      \(form("/emulator/ui/faults"))\(kept)
      <h2>\(isChange ? "Edit the fault" : "Add a fault")</h2>
      <div class="field"><label for="f-operation">Operation</label>\
      <input id="f-operation" name="operation" value="\(value("operation"))" list="operations" \
      autocomplete="off" spellcheck="false" aria-describedby="f-operation-hint">\
      <datalist id="operations">\(operations)</datalist>\
      <small id="f-operation-hint">such as signUp; every operation if empty</small></div>
      \(input("error", "such as QUOTA_EXCEEDED, or a status such as 503"))\
      \(input("latency"))\
      \(input("rate", "100 if empty"))\
      \(input("count", "no limit if empty"))\
      <details\(more)><summary>More</summary>
      \(input("project", "every project if empty"))\
      \(input("after"))\
      \(input("retryAfter"))\
      \(input("advanceSeconds"))\
      \(box("drop"))\
      \(box("carriedOut"))\
      \(box("revokeTokens"))\
      </details>
      <div class="row end"><button class="primary" name="action" \
      value="\(isChange ? "change" : "add")" type="submit">\(isChange ? "Save fault" : "Add fault")</button></div>
      </form>
      """
  }

  /// The whole list as JSON, for settings that the form lacks.
  private func editor(_ list: [JSON], seed: String, _ typed: FormFields) -> Markup {
    let lines = list.map { "  \(Dashboard.withoutCounters($0).encoded())" }
    let kept = lines.isEmpty ? "[]" : "[\n\(lines.joined(separator: ",\n"))\n]"
    let isTyped = typed["action"] == "replace"
    return """
      \(form("/emulator/ui/faults"))
      <h2>Edit all faults</h2>
      <div class="field"><label for="f-faults">Faults</label>\
      <textarea id="f-faults" name="faults" rows="\(String(min(max(list.count + 3, 6), 24)))" \
      spellcheck="false" aria-describedby="f-faults-hint">\(isTyped ? typed["faults"] ?? "" : kept)</textarea>\
      <small id="f-faults-hint">a JSON list, as of <code>/emulator/v1/faults</code></small></div>
      \(field("seed", "Seed", value: isTyped ? typed["seed"] ?? "" : seed,
        hint: "the same seed and requests fail in the same way"))\
      <div class="row end"><button name="action" value="clear" type="submit">Remove all</button>\
      <button class="primary" name="action" value="replace" type="submit">Save</button></div>
      </form>
      """
  }
}
