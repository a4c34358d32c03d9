// Draws an answer. Its words may come from a book or a model, so each goes in as a text node, never as markup.
// The rules are those of web/rendering.py and its elements those of templates/ragstone/answer.html.

let cards = 0;

export function el(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

export function safeUrl(url) {
  if (/^\/(?![/\\])/.test(url)) return url;
  return /^https?:\/\//i.test(url) ? url : null;
}

// A page of ours has its passage at #passage; a browser that knows text fragments goes on to the words themselves.
function placeUrl(citation, names) {
  let url = safeUrl(citation.url || "");
  if (!url || url.includes("#")) return url;
  const words = (citation.quote || "").replace(/[`*]/g, "").split(/\s+/).filter(Boolean);
  const runs = words.length > 12 ? [words.slice(0, 5), words.slice(-5)] : [words];
  const code = (run) =>
    encodeURIComponent(run.join(" ")).replace(/[-!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
  const text = runs.map(code).join(",");
  // to be marked in the page's picture
  if (url.startsWith("/") && citation[names.picture] && text) url += `?quote=${code([[...words.join(" ")].slice(0, 300).join("")])}`;
  const anchor = url.startsWith("/") ? "#passage" : "#";
  return text ? `${url}${anchor}:~:text=${text}` : url + anchor.replace(/#$/, "");
}

export function describe(citation, names) {
  const place = names.parts.filter((name) => citation[name]).map((name) => String(citation[name]));
  if (citation[names.page]) place.push(`p. ${citation[names.page]}`);
  const tags = Object.keys(names.tags).filter((name) => citation[name]).map((name) => names.tags[name]);
  const title = String(citation[names.title] || `Source ${citation.n}`);
  return {
    title,
    place: [...new Set(place)].filter((part) => part !== title).join(" › "),
    tags: [...tags, citation.note].filter(Boolean),
    licence: String(citation[names.licence] || ""),
    url: placeUrl(citation, names),
  };
}

// In a new tab readers keep the page that they read.
const beside = (names) => (names.tab ? { target: "_blank", rel: "noopener noreferrer" } : {});

function badge(citation, names) {
  const card = describe(citation, names);
  const id = `card-j${(cards += 1)}`;
  const said = { class: "badge", "aria-label": `Source ${citation.n}`, "aria-describedby": id };
  const mark = card.url
    ? el("a", { ...said, href: card.url, ...beside(names) }, String(citation.n))
    : el("span", { ...said, tabindex: 0, role: "note" }, String(citation.n));
  const shown = el("span", { class: "card", role: "tooltip", id }, el("b", {}, card.title));
  if (card.place) shown.append(el("span", { class: "place" }, card.place));
  for (const tag of card.tags) shown.append(el("span", { class: "tag" }, tag));
  if (card.licence) shown.append(el("span", { class: "licence" }, card.licence));
  if (citation.quote) shown.append(el("q", {}, citation.quote));
  return el("span", { class: "cite" }, mark, shown);
}

// Formulas by Pandoc's rule, as in web/formulas.py: "$5 and $6" are prices.
const FORMULA =
  /\$\$(?:\\.|[^\\$\n])+\$\$|(?<![\p{L}\p{N}_$\\])\$(?![\s$])(?!\d[\d.,]*%?(?:[)\]]|[.,;:]?\s+[*_[(]*[A-Za-z]{2}))(?:\\.|[^\\$\n])*(?<!\s)\$(?![\d$])/u;
const INLINE = new RegExp(`\`([^\`\\n]+)\`|(${FORMULA.source})|\\*\\*([^*\\n]+)\\*\\*|\\[(\\d{1,3})\\]`, "gu");

function inline(text, draw) {
  const nodes = [];
  let end = 0;
  for (const match of text.matchAll(INLINE)) {
    const [all, code, math, strong, number] = match;
    const tex = math && el("span", { class: "tex" }, math);
    const node = code ? el("code", {}, code) : tex ? tex : strong ? el("strong", {}, strong) : draw(Number(number));
    if (!node) continue;
    // a badge stays on the line of the word before it
    const before = text.slice(end, match.index);
    if (before) nodes.push(number ? before.replace(/ $/, "\u00a0") : before);
    nodes.push(node);
    end = match.index + all.length;
  }
  if (end < text.length) nodes.push(text.slice(end));
  return nodes;
}

function kindOf(line) {
  let match;
  if (!line.trim()) return ["", "", 1];
  if (line.startsWith("WARNING: ")) return ["warning", line.slice(9), 1];
  if ((match = /^\s*[-*•]\s+(.+)$/.exec(line))) return ["ul", match[1], 1];
  if ((match = /^\s*(\d{1,3})[.)]\s+(.+)$/.exec(line))) return ["ol", match[2], Number(match[1])];
  return [/^\s*\|.*\|/.test(line) ? "table" : "p", line, 1];
}

// As in Markdown, a single line break is only a space.
function runsOf(text) {
  const runs = [];
  let now = "";
  let fence = "";
  for (const written of text.split(/\r?\n/)) {
    const last = runs.at(-1);
    if (fence) {
      if (written.trim() === fence) now = fence = "";
      else last.lines.push(written);
      continue;
    }
    const line = written.replace(/^\s*(?:>\s?)+(?:\[!(\w+)\]\s*)?/, (_, note) =>
      note ? `**${note[0].toUpperCase()}${note.slice(1).toLowerCase()}.** ` : "",
    );
    const opened = /^\s*(```|~~~)/.exec(line);
    if (opened) {
      fence = opened[1];
      runs.push({ kind: "code", lines: [] });
      continue;
    }
    const before = now;
    let [kind, content, start] = kindOf(line);
    // a sentence whose line happens to begin with a number
    if (kind === "ol" && before === "p" && start !== 1) [kind, content] = ["p", line];
    now = kind;
    if (kind === "p" && ["p", "ul", "ol", "warning"].includes(before)) {
      now = before;
      last.lines.push(`${last.lines.pop()} ${content.trim()}`);
    } else if (kind) {
      if (kind !== before || kind === "warning") runs.push({ kind, start, lines: [] });
      runs.at(-1).lines.push(content.trim());
    }
  }
  return runs;
}

// `draw(n)` gives the element of the marker [n], or nothing if it is only text.
export function renderText(text, draw) {
  const rule = (line) => /^[\s|:-]+$/.test(line);
  const cells = (line) => line.replace(/^\|+|\|+$/g, "").split("|");
  return runsOf(text).map(({ kind, start, lines }) => {
    if (kind === "code") return el("pre", { tabindex: 0 }, el("code", {}, ...lines.map((line) => `${line}\n`)));
    if (kind === "warning") {
      return el("div", { class: "admonition warning", role: "note" }, el("b", {}, "Warning"), ...inline(lines[0], draw));
    }
    if (kind === "p") return el("p", {}, ...inline(lines[0], draw));
    if (kind !== "table") {
      return el(kind, kind === "ol" ? { start } : {}, ...lines.map((line) => el("li", {}, ...inline(line, draw))));
    }
    const table = el("table", lines.length > 1 && rule(lines[1]) ? { class: "headed" } : {});
    for (const line of lines.filter((one) => !rule(one))) {
      table.append(el("tr", {}, ...cells(line).map((cell) => el("td", {}, ...inline(cell.trim(), draw)))));
    }
    return el("div", { class: "table", tabindex: 0 }, table);
  });
}

// The finished answer: its text with badges, and the list of its sources.
export function renderAnswer(answer, names) {
  const byNumber = new Map(answer.citations.map((citation) => [citation.n, citation]));
  const draw = (n) => byNumber.has(n) && badge(byNumber.get(n), names);
  const parts = [el("div", { class: "text" }, ...renderText(answer.answer, draw))];
  if (answer.refused) parts.unshift(el("p", { class: "state" }, "Not in the sources"));
  if (byNumber.size) {
    const list = el("ol", { class: "sources", "aria-label": "Sources" });
    for (const citation of answer.citations) {
      const { title, place, tags, licence, url } = describe(citation, names);
      const row = el("li", {}, el("span", { class: "n" }, String(citation.n)));
      row.append(url ? el("a", { href: url, ...beside(names) }, place || title) : el("span", {}, place || title));
      if (place) row.append(el("span", { class: "from" }, title));
      for (const tag of tags) row.append(el("span", { class: "tag" }, tag));
      if (licence) row.append(el("span", { class: "licence" }, licence));
      list.append(row);
    }
    parts.push(list);
  }
  return parts;
}

// CSS shows the cards; this keeps them inside the window and lets Escape send them away.
function place(event) {
  const cite = event.target.closest?.(".cite");
  if (!cite) return;
  const box = cite.getBoundingClientRect();
  cite.classList.toggle("below", box.top < 260);
  cite.classList.toggle("from-left", box.left < 190);
  cite.classList.toggle("from-right", innerWidth - box.right < 190);
}
const release = ({ target }) => target.closest?.(".cite")?.classList.remove("hushed");
document.addEventListener("mouseover", place);
document.addEventListener("focusin", place);
document.addEventListener("focusout", release);
document.addEventListener("mouseout", release);
document.addEventListener("keydown", ({ key }) => {
  if (key !== "Escape") return;
  for (const cite of document.querySelectorAll(".cite:hover, .cite:focus-within")) cite.classList.add("hushed");
});
