import System

extension Change {
  /// Reads a change from a journal: an object whose `change` names the case.
  ///
  /// Throws an error with the code `invalidRecord` if the record is not valid.
  init(json: JSON) throws(RowFailure) {
    do throws(RowFailure) {
      self = try Self.read(json.object ?? [:])
    } catch {
      throw RowFailure("invalidRecord", error.message)
    }
  }

  private static func read(_ members: JSONObject) throws(RowFailure) -> Change {
    let name = members["change"]?.string ?? ""
    func reader(_ names: [String]) throws(RowFailure) -> MemberReader {
      try MemberReader(members, of: "change '\(name)'", names: ["change"] + names)
    }
    switch name {
    case "update":
      let reader = try reader(["uid", "body"])
      return .update(uid: try reader.text("uid"), body: try reader.object("body"))
    case "create":
      let reader = try reader(["account", "hash", "overwrites"])
      return .create(
        account: try reader.object("account"), hash: try reader.objectIfAny("hash"),
        overwrites: try reader.flagIfAny("overwrites") ?? false)
    case "delete": return .delete(uid: try reader(["uid"]).text("uid"))
    case "linkAsUser":
      let reader = try reader(["uid", "credential"])
      return .linkAsUser(uid: try reader.text("uid"), credential: try reader.object("credential"))
    case "custom":
      let reader = try reader(["name", "uid", "arguments"])
      return .custom(
        name: try reader.text("name"), uid: try reader.textIfAny("uid"),
        arguments: reader.value("arguments") ?? .null)
    default: throw RowFailure("invalidRecord", "a change of a kind that is not known")
    }
  }

  /// The change in the form of a journal record.
  var json: JSON {
    switch self {
    case .update(let uid, let body):
      return ["change": "update", "uid": .string(uid), "body": .object(body)]
    case .create(let account, let hash, let overwrites):
      var object: JSONObject = ["change": "create", "account": .object(account)]
      object["hash"] = hash.map(JSON.object)
      object["overwrites"] = .bool(overwrites)
      return .object(object)
    case .delete(let uid): return ["change": "delete", "uid": .string(uid)]
    case .linkAsUser(let uid, let credential):
      return [
        "change": "linkAsUser", "uid": .string(uid), "credential": .object(credential),
      ]
    case .custom(let name, let uid, let arguments):
      var object: JSONObject = ["change": "custom", "name": .string(name)]
      object["uid"] = uid.map(JSON.string)
      if !arguments.isNull { object["arguments"] = arguments }
      return .object(object)
    }
  }
}
