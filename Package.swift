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

/// A module: a library target that may import only what its row names (see Tests/HouseTests).
func module(
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
    system("CPSL", pkgConfig: "libpsl", apt: "libpsl-dev", brew: "libpsl"),
    system("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev", brew: "zlib"),
    system("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev", brew: "sqlite"),
    system("CPQ", pkgConfig: "libpq", apt: "libpq-dev", brew: "libpq"),
    .target(
      name: "CShims",
      dependencies: ["CLua", "CCurl", "CMicroHTTP", "CZlib", "CCrypto", "CXCrypt", "CSQLite"],
      // Checks of buffers (feature_test_macros(7)), which need an optimised build.
      cSettings: [.define("_FORTIFY_SOURCE", to: "2", .when(configuration: .release))]),

    module("System", ["CShims"]),
    module("Lua", ["CLua", "CShims", "System"]),
    module("HTTP", ["CCurl", "CMicroHTTP", "CZlib", "CShims", "System"]),
    module("Storage", ["HTTP", "CSQLite", "CPQ", "CShims", "System"]),
    module("OIDC", ["HTTP", "CCrypto", "CArgon2", "CShims", "System"]),
    module("IdentityToolkit", ["HTTP", "System"]),
    module("Client", ["HTTP", "OIDC", "IdentityToolkit", "System"]),
    module(
      "SignIn",
      [
        "HTTP", "OIDC", "IdentityToolkit", "Client", "CXML", "CQREncode", "CPSL", "CShims",
        "System",
      ],
      exclude: ["Assets"], plugins: ["EmbedFiles"]),
    module(
      "Emulator", ["HTTP", "Storage", "OIDC", "IdentityToolkit", "CShims", "System"],
      exclude: ["Assets"], plugins: ["EmbedFiles"]),
    module(
      "Host",
      [
        "Lua", "HTTP", "OIDC", "IdentityToolkit", "Client", "SignIn", "Emulator", "CShims",
        "System",
      ],
      plugins: ["EmbedFiles"]),
    module(
      "Journeys",
      [
        "Lua", "HTTP", "Storage", "OIDC", "IdentityToolkit", "Client", "SignIn", "Emulator", "Host",
        "System",
      ],
      exclude: ["HTML"], plugins: ["EmbedFiles"]),
    module(
      "Batch",
      [
        "Lua", "HTTP", "Storage", "OIDC", "IdentityToolkit", "Client", "SignIn", "Emulator", "Host",
        "CShims", "System",
      ],
      exclude: ["Assets"], plugins: ["EmbedFiles"]),
    module(
      "Reference", ["Lua", "HTTP", "IdentityToolkit", "Host", "System"],
      exclude: ["Texts", "Site"], plugins: ["EmbedFiles"]),
    module(
      "Prompt",
      [
        "Lua", "HTTP", "IdentityToolkit", "SignIn", "Emulator", "Host", "Reference", "CShims",
        "System",
      ]),
    .executableTarget(
      name: "luath",
      dependencies: [
        "Lua", "HTTP", "Storage", "OIDC", "IdentityToolkit", "Client", "SignIn", "Emulator", "Host",
        "Journeys", "Batch", "Reference", "Prompt", "System",
      ],
      exclude: ["Compare/Catalogue", "FirstSteps/Templates"], swiftSettings: settings,
      // Replaces malloc (decision 35). Sanitizers, which have their own, are used in debug builds.
      linkerSettings: [
        .linkedLibrary("jemalloc", .when(platforms: [.linux], configuration: .release))
      ],
      plugins: ["EmbedFiles"]),

    .executableTarget(name: "EmbedTool", path: "Plugins/EmbedTool", swiftSettings: settings),
    .plugin(name: "EmbedFiles", capability: .buildTool(), dependencies: ["EmbedTool"]),

    tests("SystemTests", ["System"]),
    tests("LuaTests", ["Lua", "CShims", "System"]),
    tests("HTTPTests", ["HTTP", "System"]),
    tests("StorageTests", ["Storage", "System"]),
    tests("OIDCTests", ["OIDC", "HTTP", "System"]),
    tests("IdentityToolkitTests", ["IdentityToolkit", "HTTP", "System"]),
    tests("ClientTests", ["Client", "Emulator", "OIDC", "IdentityToolkit", "HTTP", "System"]),
    tests(
      "SignInTests",
      ["SignIn", "Client", "IdentityToolkit", "Emulator", "OIDC", "HTTP", "System"]),
    tests("EmulatorTests", ["Emulator", "Storage", "OIDC", "IdentityToolkit", "HTTP", "System"]),
    tests(
      "HostTests",
      [
        "Host", "Lua", "Client", "SignIn", "Emulator", "OIDC", "IdentityToolkit", "HTTP", "System",
      ],
      exclude: ["Programs"]),
    tests(
      "JourneysTests",
      [
        "Journeys", "Host", "Lua", "SignIn", "Emulator", "HTTP", "Storage", "IdentityToolkit",
        "System",
      ],
      exclude: ["Programs", "Reporters/Golden"]),
    tests(
      "BatchTests",
      ["Batch", "Client", "Storage", "Host", "Emulator", "HTTP", "IdentityToolkit", "System"],
      exclude: ["Programs"]),
    tests(
      "ReferenceTests",
      ["Reference", "luath", "Host", "Lua", "HTTP", "IdentityToolkit", "System"],
      exclude: ["Programs"]),
    tests(
      "PromptTests",
      ["Prompt", "Reference", "Host", "Lua", "Emulator", "IdentityToolkit", "HTTP", "System"]),
    // Depends on the program so that it is built beside the tests, which start it.
    tests(
      "CommandTests",
      ["luath", "Client", "Host", "Emulator", "IdentityToolkit", "HTTP", "System"],
      exclude: ["Programs", "Sessions"]),
    tests("HouseTests", []),
  ],
  cLanguageStandard: .gnu17
)

// What `make bench` measures from inside; a plain build has no use for it.
if Context.environment["LUATH_TOOLS"] != nil {
  package.targets.append(
    .executableTarget(
      name: "bench-server", dependencies: ["HTTP", "System"], path: "Benchmarks/server",
      swiftSettings: settings))
}

// What `make fuzz` runs; only its own build brings libFuzzer along.
if Context.environment["LUATH_TOOLS"] == "fuzz" {
  package.targets += [
    .systemLibrary(name: "CFuzz", path: "Fuzz/CFuzz"),
    .executableTarget(
      name: "fuzz-emulator", dependencies: ["CFuzz", "Emulator", "HTTP", "System"],
      path: "Fuzz/emulator", swiftSettings: settings),
    .executableTarget(
      name: "fuzz-inputs",
      dependencies: [
        "CFuzz", "Batch", "SignIn", "System", "HTTP", "Storage", "OIDC", "Host",
      ],
      path: "Fuzz/inputs", swiftSettings: settings),
  ]
}

// `LUATH_TESTS=LuaTests,HTTPTests swift test` builds no other tests, which saves minutes.
if let names = Context.environment["LUATH_TESTS"] {
  let chosen = Set(names.split(separator: ",").map(String.init))
  package.targets.removeAll { $0.isTest && !chosen.contains($0.name) }
}
