public import Host
public import HTTP
import IdentityToolkit
import System

extension Catalogue {
  /// Creates the catalogue of everything that a surface declares, and of the Lua library.
  ///
  /// Opens every module of the host; call it on the interpreter's thread.
  public init(_ surface: Surface) {
    var modules: [ReferencePage] = []
    var classes: [ReferencePage] = []
    for name in Surface.moduleNames {
      guard let module = surface.module(name) else { continue }
      let made = HostPages(module, PageText(Texts.text(of: name)))
      modules.append(made.module)
      classes += made.classes
    }
    for part in LibraryPart.all {
      let made = LibraryPages(part)
      modules.append(made.module)
      classes += made.classes
    }
    self.init(pages: modules.sorted { $0.name < $1.name } + classes.sorted { $0.name < $1.name })
  }

  /// Creates the catalogue with a separate interpreter, which makes no requests.
  public static func make() async throws(HTTPError) -> Catalogue {
    let loop = try EventLoop(name: "reference")
    try loop.start()
    let target = Target(projectID: "demo", apiKey: Secret("none"), backend: .production)
    let catalogue = await LoopActor(loop).run { actor in
      let interpreter = Interpreter(context: ScriptContext(target: target), actor: actor)
      defer { interpreter.close() }
      return Catalogue(interpreter.surface)
    }
    loop.stop()
    loop.join()
    return catalogue
  }
}
