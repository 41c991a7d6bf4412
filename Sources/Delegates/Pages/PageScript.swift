/// What runs inside pages: it reads, finds and waits for nothing.
///
/// Each script is a function's body, as WebDriver's "Execute Script" takes it; `arguments` are JSON.
enum PageScript {
  /// What a person sees, and the names and roles that assistive technology gives it
  /// (WAI-ARIA 1.2 and "Accessible Name and Description Computation", without their rarer steps).
  static let library = #"""
    const norm = text => (text || "").replace(/\s+/g, " ").trim();
    const up = e => e.parentElement
      || (e.getRootNode() instanceof ShadowRoot ? e.getRootNode().host : null);
    const shown = e => {
      if (!e.isConnected || e.tagName === "INPUT" && e.type === "hidden") return false;
      if (e.checkVisibility && !e.checkVisibility({ checkVisibilityCSS: true })) return false;
      if (getComputedStyle(e).visibility !== "visible") return false;
      if (getComputedStyle(e).display === "contents") return [...e.children].some(shown);
      const box = e.getBoundingClientRect();
      return box.width > 0 && box.height > 0;
    };
    const concealed = e => {
      if (!shown(e)) return true;
      const box = e.getBoundingClientRect();
      if (box.right + scrollX <= 0 || box.bottom + scrollY <= 0) return true;
      let opacity = 1;
      for (let n = e; n; n = up(n)) opacity *= Number(getComputedStyle(n).opacity);
      return opacity === 0;
    };
    const disabled = e => {
      if (e.matches(":disabled")) return true;
      for (let n = e; n; n = up(n)) if (n.getAttribute("aria-disabled") === "true") return true;
      return false;
    };
    const textOf = (node, top = true) => {
      if (node.nodeType === 3) return node.data;
      if (node.nodeType !== 1) return "";
      if (/^(script|style|noscript|template|select|textarea|head)$/i.test(node.tagName)) return "";
      const style = getComputedStyle(node);
      if (!top && (style.display === "none" || style.visibility === "hidden")) return "";
      if (!top && node.getAttribute("aria-hidden") === "true") return "";
      if (node.tagName === "IMG") return node.alt || "";
      if (node.tagName === "BR") return " ";
      const inside = [...(node.shadowRoot || node).childNodes].map(n => textOf(n, false)).join("");
      return style.display.startsWith("inline") ? inside : " " + inside + " ";
    };
    const roleOf = e => {
      const given = (e.getAttribute("role") || "").trim().split(/\s+/)[0];
      if (given) return given.toLowerCase();
      const type = (e.getAttribute("type") || "").toLowerCase();
      switch (e.tagName) {
        case "A": case "AREA": return e.hasAttribute("href") ? "link" : "";
        case "BUTTON": case "SUMMARY": return "button";
        case "INPUT":
          return {
            button: "button", submit: "button", reset: "button", image: "button",
            checkbox: "checkbox", radio: "radio", range: "slider", number: "spinbutton",
            search: "searchbox", hidden: "", file: "", password: "textbox",
          }[type] ?? (e.hasAttribute("list") ? "combobox" : "textbox");
        case "TEXTAREA": return "textbox";
        case "SELECT": return e.multiple || e.size > 1 ? "listbox" : "combobox";
        case "OPTION": return "option";
        case "IMG": return e.getAttribute("alt") === "" ? "" : "img";
        case "H1": case "H2": case "H3": case "H4": case "H5": case "H6": return "heading";
        case "UL": case "OL": return "list";
        case "LI": return "listitem";
        case "TABLE": return "table";
        case "TR": return "row";
        case "TD": return "cell";
        case "TH": return "columnheader";
        case "DIALOG": return "dialog";
        case "FORM": return "form";
        case "NAV": return "navigation";
        case "MAIN": return "main";
        case "ARTICLE": return "article";
        case "FIELDSET": return "group";
        case "PROGRESS": return "progressbar";
        case "OUTPUT": return "status";
        case "P": return "paragraph";
        default: return "";
      }
    };
    const labelsOf = e => [...(e.labels || [])].map(l => norm(textOf(l))).filter(t => t).join(" ");
    const namedByContent = /^(button|link|heading|option|tab|menuitem|checkbox|radio|switch|cell|row|columnheader|listitem|treeitem|menuitemcheckbox|menuitemradio)$/;
    const nameOf = e => {
      const ids = norm(e.getAttribute("aria-labelledby"));
      if (ids) {
        const words = ids.split(" ").map(id => e.getRootNode().getElementById(id))
          .filter(n => n).map(n => norm(textOf(n))).filter(t => t).join(" ");
        if (words) return words;
      }
      const aria = norm(e.getAttribute("aria-label"));
      if (aria) return aria;
      const type = (e.getAttribute("type") || "").toLowerCase();
      if (e.tagName === "INPUT" && /^(submit|button|reset)$/.test(type)) {
        return norm(e.value) || norm(e.title) || { submit: "Submit", reset: "Reset" }[type] || "";
      }
      const labels = labelsOf(e);
      if (labels) return labels;
      if (e.tagName === "IMG" || type === "image") return norm(e.alt) || norm(e.title);
      if (e.tagName === "FIELDSET") {
        const legend = [...e.children].find(c => c.tagName === "LEGEND");
        if (legend) return norm(textOf(legend));
      }
      if (e.tagName !== "INPUT" && namedByContent.test(roleOf(e))) {
        const words = norm(textOf(e));
        if (words) return words;
      }
      return norm(e.title) || norm(e.getAttribute("placeholder")) || norm(e.getAttribute("alt"));
    };
    const every = (root, selector) => {
      const found = [...root.querySelectorAll(selector)];
      for (const host of root.querySelectorAll("*")) {
        if (host.shadowRoot) found.push(...every(host.shadowRoot, selector));
      }
      return found;
    };

    """#

  /// Elements for a chain of locators: `[{ by, value, name, exact, nth }]`, each within the one
  /// before, beginning at the element in the second argument or at the document.
  ///
  /// Gives what is visible first; `total` counts that, `hidden` what no person can see.
  static let find =
    library + #"""
      const chain = arguments[0];
      const matcher = (wanted, exact) => {
        const text = norm(wanted);
        const low = text.toLowerCase();
        return words => exact ? norm(words) === text : norm(words).toLowerCase().includes(low);
      };
      const smallest = (root, fits) => {
        const found = [];
        const visit = e => {
          if (/^(script|style|noscript|template|head)$/i.test(e.tagName)) return false;
          const isButton = e.tagName === "INPUT" && /^(submit|button|reset)$/i.test(e.type);
          if (isButton) {
            if (!fits(e.value)) return false;
            found.push(e);
            return true;
          }
          let inside = false;
          const inner = e.shadowRoot ? [...e.shadowRoot.children, ...e.children] : [...e.children];
          for (const child of inner) inside = visit(child) || inside;
          if (inside) return true;
          if (!fits(textOf(e))) return false;
          found.push(e);
          return true;
        };
        for (const child of root.children) visit(child);
        return found;
      };
      const within = (root, locator) => {
        const fits = matcher(locator.value, locator.exact);
        switch (locator.by) {
          case "css": return every(root, locator.value);
          case "testId":
            return every(root, "[data-testid],[data-test-id],[data-test]").filter(e =>
              ["data-testid", "data-test-id", "data-test"]
                .some(name => e.getAttribute(name) === locator.value));
          case "placeholder":
            return every(root, "[placeholder]").filter(e => fits(e.getAttribute("placeholder")));
          case "label":
            return every(root, "input,select,textarea,meter,progress,output,[contenteditable],[role]")
              .filter(e => !/^(button|link|)$/.test(roleOf(e)) || /^(file|password)$/.test(e.type))
              .filter(e => {
                const words = labelsOf(e);
                return fits(nameOf(e)) && (words || e.hasAttribute("aria-label")
                  || e.hasAttribute("aria-labelledby"));
              });
          case "role": {
            const named = locator.name == null ? () => true : matcher(locator.name, locator.exact);
            return every(root, "*").filter(e =>
              roleOf(e) === locator.value.toLowerCase() && shown(e) && named(nameOf(e)));
          }
          case "text": return smallest(root, fits);
        }
        return [];
      };
      const inOrder = (a, b) =>
        a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1;
      let roots = [arguments[1] || document];
      let hidden = 0;
      for (const locator of chain) {
        let all;
        try {
          all = [...new Set(roots.flatMap(root => within(root, locator)))];
        } catch (problem) {
          return { problem: String(problem.message) };
        }
        all.sort(inOrder);
        const seen = all.filter(shown);
        hidden = all.length - seen.length;
        roots = seen.length ? seen : all;
        if (locator.nth != null) {
          roots = roots.slice(locator.nth - 1, locator.nth);
          if (!roots.length) hidden = 0;
        }
        if (!roots.length) return { found: [], total: 0, hidden: 0 };
      }
      const state = e => ({
        element: e, visible: shown(e), enabled: !disabled(e), readOnly: e.readOnly === true,
        tag: e.tagName.toLowerCase(), type: (e.type || "").toLowerCase(),
        editable: e.isContentEditable, checked: e.checked === true
          || e.getAttribute("aria-checked") === "true",
        words: norm(nameOf(e) || textOf(e)).slice(0, 60),
      });
      const visible = roots.filter(shown);
      const list = visible.length ? visible : roots;
      return {
        found: list.slice(0, 200).map(state), total: visible.length,
        hidden: list.length - visible.length,
      };
      """#

  /// Sets a field as typing would, past a framework's own setters, and tells the page.
  static let setValue = #"""
    const [e, value] = arguments;
    e.focus();
    if (e.isContentEditable) e.textContent = value;
    else {
      const type = e.tagName === "TEXTAREA" ? HTMLTextAreaElement : HTMLInputElement;
      Object.getOwnPropertyDescriptor(type.prototype, "value").set.call(e, value);
    }
    e.dispatchEvent(new InputEvent("input", { bubbles: true, composed: true }));
    e.dispatchEvent(new Event("change", { bubbles: true }));
    """#

  /// Chooses options of a drop-down by value or words; gives what could be chosen, or nothing.
  static let select = #"""
    const [e, wanted] = arguments;
    const norm = text => (text || "").replace(/\s+/g, " ").trim();
    const options = [...e.options].filter(o => !o.disabled);
    const chosen = wanted.map(w =>
      options.find(o => o.value === w) || options.find(o => norm(o.label) === norm(w)));
    if (chosen.some(o => !o)) return { options: options.map(o => norm(o.label)).slice(0, 30) };
    if (chosen.length > 1 && !e.multiple) return { single: true };
    e.focus();
    for (const option of e.options) {
      if (e.multiple || chosen.includes(option)) option.selected = chosen.includes(option);
    }
    e.dispatchEvent(new Event("input", { bubbles: true }));
    e.dispatchEvent(new Event("change", { bubbles: true }));
    return { chosen: chosen.length };
    """#

  static let text = library + "return norm(textOf(arguments[0] || document.body));"
  static let click = "arguments[0].click();"
  /// Makes what stands in fields unreadable in pictures.
  static let veil = #"""
    for (const e of document.querySelectorAll("input,textarea")) {
      if (e.type !== "submit" && e.type !== "button") e.style.webkitTextSecurity = "disc";
    }
    """#
  static let isDisabled = library + "return disabled(arguments[0]);"
  static let submit =
    "const f = arguments[0]; f.requestSubmit ? f.requestSubmit() : f.submit();"
}
