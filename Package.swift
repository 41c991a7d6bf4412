// swift-tools-version: 6.3
import PackageDescription

/// Debian and Homebrew names of the libraries luath stands on; `make setup` installs the same list.
func system(_ name: String, pkgConfig: String, apt: String, brew: String) -> Target {
  .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt]), .brew([brew])])
}

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// A room: a library target that may import only what its row names (see Tests/HouseTests).
func room(
  _ name: String, _ imports: [String] = [], exclude: [String] = [],
  plugins: [Target.PluginUsage] = []
) -> Target {
  .target(
    name: name, dependencies: imports.map { .init(stringLiteral: $0) }, exclude: exclude,
    swiftSettings: settings, plugins: plugins)
}

func tests(_ name: String, _ imports: [String], exclude: [String] = []) -> Target {
  .testTarget(
    name: name, dependencies: imports.map { .init(stringLiteral: $0) }, exclude: exclude,
    swiftSettings: settings)
}

let package = Package(
  name: "luath",
  products: [.executable(name: "luath", targets: ["luath"])],
  targets: [
    system("CLua", pkgConfig: "lua5.4", apt: "liblua5.4-dev", brew: "lua"),
    system("CCurl", pkgConfig: "libcurl", apt: "libcurl4-openssl-dev", brew: "curl"),
    system(
      "CMicroHTTP", pkgConfig: "libmicrohttpd", apt: "libmicrohttpd-dev", brew: "libmicrohttpd"),
    system("CCrypto", pkgConfig: "libcrypto", apt: "libssl-dev", brew: "openssl@3"),
    system("CArgon2", pkgConfig: "libargon2", apt: "libargon2-dev", brew: "argon2"),
    system("CXCrypt", pkgConfig: "libcrypt", apt: "libcrypt-dev", brew: "libxcrypt"),
    system("CXML", pkgConfig: "libxml-2.0", apt: "libxml2-dev", brew: "libxml2"),
    system("CQREncode", pkgConfig: "libqrencode", apt: "libqrencode-dev", brew: "qrencode"),
    system("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev", brew: "zlib"),
    system("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev", brew: "sqlite"),
    system("CPQ", pkgConfig: "libpq", apt: "libpq-dev", brew: "libpq"),
    .target(
      name: "CShims",
      dependencies: ["CLua", "CCurl", "CMicroHTTP", "CZlib", "CCrypto", "CXCrypt", "CSQLite"],
      // Checks of buffers (feature_test_macros(7)), which need an optimised build.
      cSettings: [.define("_FORTIFY_SOURCE", to: "2", .when(configuration: .release))]),

    room("Encoding"),
    room("Lua", ["CLua", "CShims", "Encoding"]),
    room("HTTP", ["CCurl", "CMicroHTTP", "CZlib", "CShims", "Encoding"]),
    room("Journal", ["CSQLite", "CShims", "Encoding"]),
    room("OIDC", ["HTTP", "CCrypto", "CArgon2", "CShims", "Encoding"]),
    room("IdentityToolkit", ["HTTP", "Encoding"]),
    room("Auth", ["HTTP", "IdentityToolkit", "Encoding"]),
    room("Admin", ["HTTP", "OIDC", "IdentityToolkit", "Encoding"]),
    room(
      "Delegates",
      ["HTTP", "OIDC", "IdentityToolkit", "Auth", "CXML", "CQREncode", "CShims", "Encoding"],
      exclude: ["Assets"], plugins: ["EmbedFiles"]),
    room(
      "Emulator", ["HTTP", "Journal", "OIDC", "IdentityToolkit", "CShims", "Encoding"],
      exclude: ["Assets"], plugins: ["EmbedFiles"]),
    room(
      "Scripting",
      [
        "Lua", "HTTP", "OIDC", "IdentityToolkit", "Auth", "Admin", "Delegates", "Emulator",
        "Encoding",
      ],
      plugins: ["EmbedFiles"]),
    room(
      "Runner",
      [
        "Lua", "HTTP", "OIDC", "IdentityToolkit", "Auth", "Admin", "Delegates", "Emulator",
        "Scripting", "Encoding",
      ],
      exclude: ["HTML"], plugins: ["EmbedFiles"]),
    room(
      "Batch",
      [
        "Lua", "HTTP", "Journal", "OIDC", "IdentityToolkit", "Auth", "Admin", "Scripting", "CPQ",
        "CShims", "Encoding",
      ],
      exclude: ["Assets"], plugins: ["EmbedFiles"]),
    room(
      "Compare", ["HTTP", "OIDC", "IdentityToolkit", "Admin", "Encoding"], exclude: ["Catalogue"],
      plugins: ["EmbedFiles"]),
    room("Terminal", ["CShims", "Encoding"]),
    room(
      "Reference", ["Lua", "HTTP", "IdentityToolkit", "Scripting", "Encoding"],
      exclude: ["Texts", "Site"], plugins: ["EmbedFiles"]),
    room(
      "Prompt",
      [
        "Lua", "HTTP", "IdentityToolkit", "Delegates", "Emulator", "Scripting", "Terminal",
        "Reference", "CShims", "Encoding",
      ]),
    room(
      "Commands",
      [
        "Lua", "HTTP", "Journal", "OIDC", "IdentityToolkit", "Delegates", "Emulator", "Scripting",
        "Runner", "Batch", "Compare", "Admin", "Terminal", "Reference", "Prompt", "Encoding",
      ],
      exclude: ["FirstSteps/Templates"], plugins: ["EmbedFiles"]),
    .executableTarget(name: "luath", dependencies: ["Commands"], swiftSettings: settings),

    .executableTarget(name: "EmbedTool", swiftSettings: settings),
    .plugin(name: "EmbedFiles", capability: .buildTool(), dependencies: ["EmbedTool"]),

    tests("EncodingTests", ["Encoding"]),
    tests("LuaTests", ["Lua", "CShims"]),
    tests("HTTPTests", ["HTTP", "Encoding"]),
    tests("JournalTests", ["Journal"]),
    tests("OIDCTests", ["OIDC", "HTTP", "Encoding"]),
    tests("IdentityToolkitTests", ["IdentityToolkit", "HTTP", "Encoding"]),
    tests("AuthTests", ["Auth", "IdentityToolkit", "HTTP", "Encoding"]),
    tests(
      "AdminTests", ["Admin", "Emulator", "OIDC", "IdentityToolkit", "HTTP", "Encoding"]),
    tests(
      "DelegatesTests",
      ["Delegates", "Auth", "IdentityToolkit", "Emulator", "OIDC", "HTTP", "Encoding"]),
    tests("EmulatorTests", ["Emulator", "Journal", "OIDC", "IdentityToolkit", "HTTP", "Encoding"]),
    tests(
      "ScriptingTests",
      ["Scripting", "Lua", "Delegates", "Emulator", "OIDC", "IdentityToolkit", "HTTP", "Encoding"],
      exclude: ["Programs"]),
    tests(
      "RunnerTests",
      [
        "Runner", "Scripting", "Lua", "Delegates", "Emulator", "HTTP", "IdentityToolkit",
        "Encoding",
      ],
      exclude: ["Programs", "Reporters/Golden"]),
    tests(
      "BatchTests",
      [
        "Batch", "Admin", "Journal", "Scripting", "Emulator", "HTTP", "IdentityToolkit", "Encoding",
      ],
      exclude: ["Programs"]),
    tests(
      "CompareTests", ["Compare", "Admin", "Emulator", "IdentityToolkit", "HTTP", "Encoding"]),
    tests("TerminalTests", ["Terminal", "Encoding"]),
    tests(
      "ReferenceTests",
      [
        "Reference", "Commands", "Scripting", "Lua", "HTTP", "IdentityToolkit", "Encoding", "luath",
      ],
      exclude: ["Programs"]),
    tests(
      "PromptTests",
      [
        "Prompt", "Terminal", "Reference", "Scripting", "Lua", "Emulator", "IdentityToolkit",
        "HTTP", "Encoding",
      ]),
    // Depends on the program so that it is built beside the tests, which start it.
    tests(
      "CommandTests", ["Commands", "HTTP", "Encoding", "luath"],
      exclude: ["Programs", "Sessions"]),
    tests("HouseTests", []),
  ],
  cLanguageStandard: .gnu17
)

// What `make bench` measures from inside; a plain build has no use for it.
if Context.environment["LUATH_TOOLS"] != nil {
  package.targets.append(
    .executableTarget(
      name: "bench-server", dependencies: ["HTTP", "Encoding"], path: "Benchmarks/server",
      swiftSettings: settings))
}

// What `make fuzz` runs; only its own build brings libFuzzer along.
if Context.environment["LUATH_TOOLS"] == "fuzz" {
  package.targets += [
    .systemLibrary(name: "CFuzz", path: "Fuzz/CFuzz"),
    .executableTarget(
      name: "fuzz-emulator", dependencies: ["CFuzz", "Emulator", "HTTP", "Encoding"],
      path: "Fuzz/emulator", swiftSettings: settings),
    .executableTarget(
      name: "fuzz-inputs",
      dependencies: [
        "CFuzz", "Batch", "Delegates", "Encoding", "HTTP", "Journal", "OIDC", "Scripting",
      ],
      path: "Fuzz/inputs", swiftSettings: settings),
  ]
}

// `LUATH_TESTS=LuaTests,HTTPTests swift test` builds no other tests, which saves minutes.
if let names = Context.environment["LUATH_TESTS"] {
  let chosen = Set(names.split(separator: ",").map(String.init))
  package.targets.removeAll { $0.isTest && !chosen.contains($0.name) }
}
