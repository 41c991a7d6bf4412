enum UIModule {
  static func make(_ interpreter: Interpreter) -> Module {
    var ui = Declarations(interpreter, owner: "ui")
    declareForm(&ui, interpreter)
    declareRecorded(&ui, interpreter)
    declareDevice(&ui, interpreter)
    declareBrowser(&ui, interpreter)
    declarePaste(&ui, interpreter)
    declareShow(&ui, interpreter)
    declareWebDriver(&ui, interpreter)
    return Module(
      "luath.ui", "How sign-in pages are shown.", ui.list,
      classes: [(interpreter.classes.delegate, [])])
  }
}
