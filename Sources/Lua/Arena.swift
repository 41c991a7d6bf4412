import CShims
import Glibc

/// Memory for the C records of one state; all of it is freed when the state closes.
final class Arena {
  private var blocks: [UnsafeMutableRawPointer] = []
  unowned let state: LuaState

  init(for state: LuaState) { self.state = state }

  deinit { for block in blocks { free(block) } }

  func allocate<T>(_ type: T.Type, count: Int = 1) -> UnsafeMutablePointer<T> {
    let size = max(1, MemoryLayout<T>.stride * count)
    guard let block = calloc(1, size) else { fatalError("the machine has no memory left") }
    blocks.append(block)
    return block.bindMemory(to: type, capacity: max(1, count))
  }

  func text(_ text: String) -> UnsafePointer<CChar> {
    let bytes = Array(text.utf8CString)
    let copy = allocate(CChar.self, count: bytes.count)
    copy.initialize(from: bytes, count: bytes.count)
    return UnsafePointer(copy)
  }

  func parameters(_ parameters: [LuaParameter]) -> UnsafePointer<luath_parameter>? {
    guard !parameters.isEmpty else { return nil }
    let records = allocate(luath_parameter.self, count: parameters.count)
    for (index, parameter) in parameters.enumerated() {
      records[index] = record(parameter.name, parameter.kind, optional: parameter.optional)
    }
    return UnsafePointer(records)
  }

  private func record(
    _ name: String, _ kind: LuaParameter.Kind, optional: Bool
  ) -> luath_parameter {
    let classes = kind.classes
    let pointers = allocate(UnsafePointer<luath_class>?.self, count: classes.count)
    for (index, type) in classes.enumerated() {
      pointers[index] = UnsafePointer(state.compiled(type).record)
    }
    var item: UnsafePointer<luath_parameter>?
    if let kind = kind.item {
      let only = allocate(luath_parameter.self)
      only.pointee = record("item", kind, optional: false)
      item = UnsafePointer(only)
    }
    let fields = kind.fields
    return luath_parameter(
      name: text(name), expected: text(kind.words), kinds: kind.mask, optional: optional,
      classes: UnsafePointer(pointers), class_count: Int32(classes.count), item: item,
      fields: self.parameters(fields), field_count: Int32(fields.count))
  }
}
