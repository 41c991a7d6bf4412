/** The media types that the report shows as pictures; all others are text or can only be saved. */
const pictureTypes = ["image/png", "image/jpeg", "image/gif", "image/webp"];

function isPicture(attachment) {
  return pictureTypes.includes(attachment.kind) && Boolean(attachment.data);
}

function attachmentKind(attachment) {
  if (attachment.url) return "page";
  return isPicture(attachment) ? "picture" : attachment.kind;
}

function dataOf(attachment) {
  return attachment.data ? `data:${attachment.kind};base64,${attachment.data}`
    : `data:${attachment.kind};charset=utf-8,${encodeURIComponent(attachment.text || "")}`;
}

/** Shows an attachment: the page's URL and title, the picture, the text. */
function attachmentDetail(attachment) {
  const page = attachment.document;
  return el("div.exchange", {}, pageLine(attachment),
    attachment.note ? el("p.soft", {}, attachment.note) : null,
    isPicture(attachment) ? thumbnail(attachment) : null,
    textOf(attachment), saveLink(attachment),
    page ? el("details", {}, el("summary", {}, "HTML"),
      page.note ? el("p.soft", {}, page.note) : null, textOf(page), saveLink(page)) : null);
}

function pageLine(attachment) {
  if (!attachment.url && !attachment.title) return null;
  return el("p.address", {}, attachment.title ? [el("b", {}, attachment.title), " "] : null,
    attachment.url ? el("code", {}, masked(withoutOrigin(attachment.url))) : null);
}

function textOf(attachment) {
  if (typeof attachment.text !== "string") return null;
  return el("pre.body", { tabindex: "0" },
    printed({ mimeType: attachment.kind, text: attachment.text }));
}

function saveLink(attachment) {
  if (attachment.data === undefined && attachment.text === undefined) return null;
  return el("p.tools", {}, el("a", {
    href: dataOf(attachment), download: attachment.name.replace(/[^\w.-]+/g, "_"),
  }, "Save"), el("span.soft", {}, ` ${attachment.kind}, ${size(attachment.size)}`));
}

/** A picture that a click or Enter enlarges. */
function thumbnail(attachment) {
  const words = [attachment.name, attachment.title].filter((word) => word).join(": ");
  return el("button.thumbnail", {
    type: "button", title: "Enlarge", click: () => enlarge(attachment, words),
  }, el("img", { src: dataOf(attachment), alt: words, loading: "lazy" }));
}

function enlarge(attachment, words) {
  let dialog = document.getElementById("viewer");
  if (!dialog) {
    dialog = el("dialog", { id: "viewer", "aria-label": "Picture" });
    document.body.append(dialog);
  }
  const close = el("button", { type: "button", click: () => dialog.close() }, "Close");
  dialog.replaceChildren(el("div.caption", {}, el("p", {}, words), close),
    el("div.scroll", { tabindex: "0" }, el("img", { src: dataOf(attachment), alt: words })));
  dialog.showModal();
}

/** Shows the pages at the failures of an attempt, beside what failed. */
function failurePages(attempt) {
  const pages = attempt.attachments.filter((one) => one.failure);
  if (!pages.length) return null;
  return el("section.card.padded.shots", { "aria-label": "Pages at the failure" },
    pages.map((page) => el("figure", {}, isPicture(page) ? thumbnail(page) : null,
      el("figcaption", {}, el("span.soft", {}, page.name), pageLine(page),
        page.note ? el("p.soft", {}, page.note) : null))));
}

/** Shows all attachments of an attempt, and what its browsers logged. */
function evidence(attempt) {
  const { attachments, console: lines, requests } = attempt;
  if (!attachments.length && !lines.length && !requests.length) {
    return el("p.nothing", {}, "No page was recorded, and nothing was attached.");
  }
  return el("div.evidence", {},
    attachments.map((one) => el("section.card.padded", {},
      el("h3", {}, one.name), attachmentDetail(one))),
    logTable("Console", lines, ["Level", "Message"], (line) => [
      el("td", {}, consoleName(line)), el("td", {}, el("code", {}, masked(line.text))),
    ], attempt),
    logTable("Requests of pages", requests, ["Request", "Type", "Status"], (request) => [
      el("td", {}, el("b", {}, request.method), " ",
        el("code", {}, masked(withoutOrigin(request.url)))),
      el("td", {}, request.kind), el("td", {}, requestStatus(request)),
    ], attempt));
}

function logTable(title, items, heads, cells, attempt) {
  if (!items.length) return null;
  return el("section.card.padded", {}, el("h3", {}, title), el("div.scroll", { tabindex: "0" },
    el("table.compare", {}, el("thead", {}, el("tr", {},
      ["Time", ...heads].map((head) => el("th", { scope: "col" }, head)))),
    el("tbody", {}, items.map((item) => el("tr", {},
      el("td.num.soft", {}, duration(Math.max(0, item.at - attempt.at))), cells(item)))))));
}

function consoleName(line) {
  return line.source === "javascript" ? "uncaught error" : line.level;
}

function requestStatus(request) {
  const isBad = !request.status || request.status >= 400;
  return el("span", { class: `pill ${isBad ? "bad" : ""}` },
    request.status || request.error || "no answer");
}
