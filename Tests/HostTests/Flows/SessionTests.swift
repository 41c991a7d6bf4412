import Testing

@Suite(.serialized, .timeLimit(.minutes(1))) struct SessionTests {
  @Test(arguments: [
    (["LANG": "de_AT.UTF-8"], "'de-AT'"), (["LANG": "fr_FR@euro"], "'fr-FR'"),
    (["LANG": "ja"], "'ja'"), (["LANG": "de_DE", "LC_ALL": "pt_BR.UTF-8"], "'pt-BR'"),
    (["LANG": "de_DE", "LC_MESSAGES": "it_IT"], "'it-IT'"),
    (["LANG": "de_DE", "LC_ALL": "C.UTF-8"], "nil"), (["LANG": "POSIX"], "nil"), ([:], "nil"),
    (["LANG": "", "LC_ALL": ""], "nil"), (["LANG": "../../x"], "nil"), (["LANG": "de_"], "nil"),
    (["LANG": "es_419.UTF-8", "LC_ALL": ""], "'es-419'"),
  ])
  func `the language of the environment is taken over`(
    _ environment: [String: String], _ expected: String
  ) async throws {
    try await Flow(runner: ScriptRunner(environment: environment)).run(
      """
      auth.languageCode = "x"
      auth:useAppLanguage()
      equal(auth.languageCode, \(expected))
      """)
  }
}
