internal import System
internal import HTTP

/// The OpenAPI 3.0 description, generated from the tables that also route the requests.
enum OpenAPIDocument {
  static func response(origin: String) -> ServerResponse {
    ServerResponse(
      json: [
        "openapi": "3.0.0",
        "info": [
          "title": "Identity Toolkit and Secure Token, emulated", "version": "1",
          "description": "The operations of this emulator, with the bodies they take.",
        ],
        "servers": [["url": .string(origin)]],
        "paths": .object(paths), "components": components,
      ])
  }

  // MARK: Paths

  private static let services = [
    ("/identitytoolkit.googleapis.com/", RouteTable.identityToolkit),
    ("/securetoken.googleapis.com/", RouteTable.secureToken),
    ("/emulator/", controls),
  ]

  /// The emulator's own JSON calls, in the format of `RouteTable`; the last column is the name.
  private static let controls = """
    DELETE v1/projects/*/accounts - - projects.accounts.delete
    DELETE v1/projects/*/tenants/*/accounts - - projects.accounts.delete
    GET v1/projects/*/config - - projects.config.get
    PATCH v1/projects/*/config EmulatorV1ProjectsConfig - projects.config.update
    GET v1/projects/*/oobCodes - - projects.oobCodes.list
    GET v1/projects/*/tenants/*/oobCodes - - projects.oobCodes.list
    GET v1/projects/*/verificationCodes - - projects.verificationCodes.list
    GET v1/projects/*/tenants/*/verificationCodes - - projects.verificationCodes.list
    GET v1/projects/*/mails - - projects.mails.list
    GET v1/projects/*/tenants/*/mails - - projects.mails.list
    GET v1/projects/*/sms - - projects.sms.list
    GET v1/projects/*/tenants/*/sms - - projects.sms.list
    GET v1/projects/*/serviceAccount - - projects.serviceAccount.get
    GET v1/clock - - clock.get
    PATCH v1/clock - - clock.advance
    GET v1/people - - people.list
    POST v1/people - - people.add
    DELETE v1/people - - people.remove
    GET v1/faults - - faults.list
    PUT v1/faults - - faults.replace
    POST v1/faults - - faults.add
    DELETE v1/faults - - faults.clear
    """

  private static let paths: JSONObject = {
    var paths = JSONObject()
    for (prefix, table) in services {
      for row in table.split(separator: "\n") {
        let words = row.split(separator: " ").map(String.init)
        let (path, ids) = named(words[1])
        paths.change(prefix + path) { methods in
          methods[words[0].asciiLowercased] = .object(
            operation(words, ids: ids, service: prefix))
        }
      }
    }
    return paths
  }()

  /// The path with a named parameter for each id, and the names.
  private static func named(_ pattern: String) -> (path: String, ids: [String]) {
    var segments: [String] = []
    var ids: [String] = []
    for segment in pattern.split(separator: "/") {
      guard segment.utf8.first == UInt8(ascii: "*"), let collection = segments.last else {
        segments.append(String(segment))
        continue
      }
      let name =
        switch collection {
        case "projects": "targetProjectId"
        case "tenants": "tenantId"
        default: "\(collection)Id"
        }
      ids.append(name)
      segments.append("{\(name)}\(segment.dropFirst())")
    }
    return (segments.joined(separator: "/"), ids)
  }

  private static func operation(
    _ words: [String], ids: [String], service: String
  ) -> JSONObject {
    let name = words.count > 4 ? words[4] : Self.name(method: words[0], pattern: words[1])
    let library = String(service.split(separator: "/")[0].prefix { $0 != "." })
    let isControl = library == "emulator"
    let security: JSON = [["Oauth2": []], ["apiKeyQuery": []], ["apiKeyHeader": []]]
    var operation: JSONObject = [
      "operationId": .string("\(library).\(name)"),
      "parameters": .array(
        ids.map {
          ["name": .string($0), "in": "path", "required": true, "schema": ["type": "string"]]
        }),
      "security": isControl ? [] : security,
      "responses": [
        "200": ["description": "Success", "content": content(["type": "object"])],
        "default": ["description": "Refusal", "content": content(reference("Refusal"))],
      ],
    ]
    if isControl, words[2] == "-", words[0] != "GET", words[0] != "DELETE" {
      operation["requestBody"] = ["content": content(["type": "object"])]
    }
    if words[2] != "-" {
      var body = content(reference(words[2]))
      if words[2] == "GrantTokenRequest" {
        body = [
          "application/json": ["schema": reference(words[2])],
          "application/x-www-form-urlencoded": ["schema": reference(words[2])],
        ]
      }
      operation["requestBody"] = ["content": body]
    }
    return operation
  }

  /// A name for an operation that has none in the table: the parts of the path, and a verb for the method.
  private static func name(method: String, pattern: String) -> String {
    let words = pattern.split { $0 == "/" || $0 == ":" }.dropFirst().filter { $0 != "*" }
    let name = words.joined(separator: ".")
    switch method {
    case "GET" where !pattern.contains(":"): return "\(name).get"
    case "PATCH": return "\(name).patch"
    case "DELETE": return "\(name).delete"
    default: return name
    }
  }

  private static func content(_ schema: JSON) -> JSON { ["application/json": ["schema": schema]] }

  private static func reference(_ name: String) -> JSON {
    ["$ref": .string("#/components/schemas/\(name)")]
  }

  // MARK: Messages

  private static let components: JSON = [
    "securitySchemes": [
      "Oauth2": ["type": "http", "scheme": "bearer"],
      "apiKeyQuery": ["type": "apiKey", "in": "query", "name": "key"],
      "apiKeyHeader": ["type": "apiKey", "in": "header", "name": "x-goog-api-key"],
    ],
    "schemas": .object(schemas),
  ]

  private static let schemas: JSONObject = {
    var schemas = JSONObject()
    for name in Schema.shared.messages.keys.sorted() {
      var fields = JSONObject()
      for field in Schema.shared.message(name)?.fields ?? [] {
        fields[field.name] = schema(of: field.kind)
      }
      schemas[name] = ["type": "object", "properties": .object(fields)]
    }
    schemas["Refusal"] = [
      "type": "object",
      "properties": [
        "error": [
          "type": "object",
          "properties": [
            "code": ["type": "integer"], "message": ["type": "string"],
            "status": ["type": "string"],
            "errors": ["type": "array", "items": ["type": "object"]],
          ],
        ]
      ],
    ]
    return schemas
  }()

  private static func schema(of kind: Schema.Kind) -> JSON {
    switch kind {
    case .text, .bytes, .int64: ["type": "string"]
    case .bool: ["type": "boolean"]
    case .integer: ["type": "integer"]
    case .number: ["type": "number"]
    case .message(let name): reference(name)
    case .choice(let choice):
      ["type": "string", "enum": .array(choice.names.map { .string($0) })]
    case .list(let element): ["type": "array", "items": schema(of: element)]
    case .map(let element):
      ["type": "object", "additionalProperties": schema(of: element)]
    default: ["type": "object"]
    }
  }
}
