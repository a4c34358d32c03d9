// Ask a book from any page: <script src="https://HOST/book_chat/widget.js" data-book="slug"></script>
// Needs of a strict policy only "script-src HOST; connect-src HOST": the style is a constructed sheet, and whatever a
// book or a model says goes in as text nodes, never as markup. Nothing is kept: no cookie, no storage, no key.

(() => {
"use strict";
const script = document.currentScript ?? document.querySelector('script[src*="/book_chat/widget.js"]');
if (!script?.src || document.querySelector("ragstone-widget")) return;
const { book, title = "Ask this book", label = title } = script.dataset;
const server = new URL("..", script.src);

const STYLE = `
:host { all: initial; color-scheme: light; font: 400 16px/1.55 system-ui, "Segoe UI", Roboto, "Noto Sans", Arial, sans-serif;
--paper: #fffefb; --ink: #22262a; --soft: #5b6067; --line: #e4dfd6; --fill: #f4f1ea; --tint: #e4f0ee;
--accent: var(--ragstone-accent, #0d5c63); --on-accent: var(--ragstone-on-accent, #fff); --mark: #c79a1b; --warn: #fdf1e7; --warn-line: #a34c14;
--serif: Charter, "Iowan Old Style", Cambria, "Noto Serif", Georgia, serif;
--shadow: 0 0 0 1px rgb(40 35 25 / 7%), 0 2px 6px rgb(40 35 25 / 6%), 0 18px 48px rgb(40 35 25 / 17%); }
:host([data-scheme="dark"]) { color-scheme: dark;
--paper: #1b1f23; --ink: #e8e5de; --soft: #a6abb2; --line: #343a41; --fill: #252a2f; --tint: #1f3538;
--accent: var(--ragstone-accent, #7cc7c3); --on-accent: var(--ragstone-on-accent, #0b2326); --mark: #d8ae3a; --warn: #33241a; --warn-line: #e8a873;
--shadow: 0 0 0 1px rgb(255 255 255 / 9%), 0 18px 48px rgb(0 0 0 / 55%); }
* { box-sizing: border-box; margin: 0; }
[hidden] { display: none !important; }
.all { position: fixed; inset: 0; z-index: 2147483000; pointer-events: none; color: var(--ink); overflow-wrap: anywhere; }
.all > * { pointer-events: auto; }
button, textarea { font: inherit; color: inherit; }
button { cursor: pointer; border: 0; background: none; padding: 0; }
svg { display: block; fill: none; stroke: currentcolor; stroke-width: 1.8; stroke-linecap: round; stroke-linejoin: round; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.pill { position: absolute; display: flex; align-items: center; gap: 9px; font-weight: 600; background: var(--accent); color: var(--on-accent); border-radius: 99px; box-shadow: 0 1px 2px rgb(0 0 0 / 14%), 0 6px 20px rgb(0 0 0 / 18%); transition: filter .16s; }
.pill:hover, .send:hover { filter: brightness(1.1); }
.open { right: max(20px, env(safe-area-inset-right)); bottom: max(20px, env(safe-area-inset-bottom)); height: 48px; padding: 0 20px 0 16px; font-size: 15px; }
.about { height: 38px; padding: 0 15px 0 12px; gap: 7px; font-size: 14px; white-space: nowrap; }
.pill:focus-visible { outline-color: var(--ink); }
.veil { position: absolute; inset: 0; background: rgb(15 17 20 / 45%); display: none; }
.panel { position: absolute; right: 20px; bottom: 20px; width: 408px; height: min(650px, 100% - 40px); display: flex; flex-direction: column; background: var(--paper); border-radius: 18px; box-shadow: var(--shadow); overflow: hidden; animation: rise .22s cubic-bezier(.2, .8, .3, 1); }
@keyframes rise { from { opacity: 0; transform: translateY(14px); } }
header { display: flex; align-items: center; gap: 2px; padding: 12px 10px 11px 20px; border-bottom: 1px solid var(--line); }
h2 { flex: 1; min-width: 0; font-size: 15.5px; font-weight: 650; line-height: 1.3; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.icon { flex: none; display: grid; place-items: center; width: 38px; height: 38px; border-radius: 10px; color: var(--soft); }
.icon:hover { background: var(--fill); color: var(--ink); }
.log { flex: 1; overflow-y: auto; overscroll-behavior: contain; padding: 20px; }
.log:focus-visible { outline-offset: -3px; }
.hello { display: grid; justify-items: center; align-content: center; gap: 10px; height: 100%; max-width: 270px; margin: auto; padding-bottom: 12px; text-align: center; color: var(--soft); font-size: 14.5px; text-wrap: balance; }
.hello b { color: var(--ink); font: 400 21px/1.3 var(--serif); }
.hello i { display: grid; place-items: center; width: 52px; height: 52px; margin-bottom: 4px; border-radius: 16px; background: var(--tint); color: var(--accent); }
.turn + .turn { margin-top: 26px; }
.asked { display: flex; flex-direction: column; align-items: flex-end; gap: 6px; padding-left: 40px; }
.asked p { background: var(--tint); border-radius: 16px 16px 4px; padding: 8px 14px; font-size: 15px; line-height: 1.45; white-space: pre-line; }
.quote { border-left: 3px solid var(--mark); padding-left: 10px; color: var(--soft); font: 400 14px/1.45 var(--serif); }
.quote, q { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; line-clamp: 2; overflow: hidden; }
.answer { margin-top: 14px; font-size: 15.5px; line-height: 1.62; }
.answer > * + *, .text > * + * { margin-top: 11px; }
.text ul, .text ol { padding-left: 22px; }
.text li + li { margin-top: 4px; }
code, pre { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: .86em; }
code { background: var(--fill); border-radius: 4px; padding: .1em .32em; }
pre { background: var(--fill); border-radius: 10px; padding: 11px 13px; overflow-x: auto; line-height: 1.5; }
pre code { background: none; padding: 0; font-size: 1em; overflow-wrap: normal; }
.table { overflow-x: auto; }
table { border-collapse: collapse; font-size: .92em; overflow-wrap: normal; }
td { padding: 5px 12px 5px 0; border-bottom: 1px solid var(--line); vertical-align: top; }
.headed tr:first-child td { font-weight: 650; }
.badge { display: inline-block; min-width: 19px; padding: 0 5px; margin: 0 1px; border-radius: 6px; background: var(--tint); color: var(--accent); font-size: 11px; font-weight: 650; line-height: 18px; text-align: center; text-decoration: none; vertical-align: 2.5px; }
a.badge:hover, a.badge:focus-visible { background: var(--accent); color: var(--on-accent); }
.sources { list-style: none; padding: 4px 0 0; display: grid; gap: 2px; border-top: 1px solid var(--line); }
.sources li { position: relative; display: grid; grid-template-columns: 26px 1fr; padding: 8px 8px 8px 0; border-radius: 10px; font-size: 13.5px; line-height: 1.4; }
@media (hover: hover) { .sources li:has(a):hover { background: var(--fill); } }
.sources .n { color: var(--accent); font-weight: 650; font-size: 11.5px; line-height: 19px; text-align: center; }
.sources a { color: var(--ink); font-weight: 600; text-decoration: none; }
.sources a::after { content: ""; position: absolute; inset: 0; border-radius: 10px; }
.sources a:focus-visible { outline: none; }
.sources a:focus-visible::after { outline: 2px solid var(--accent); }
.sources small { font-size: 12.5px; color: var(--soft); display: block; }
.sources q { quotes: none; font: 400 13.5px/1.42 var(--serif); color: var(--soft); margin-top: 3px; }
.tag { display: inline-block; margin-top: 3px; padding: 0 7px; border: 1px solid var(--line); border-radius: 99px; font-size: 11px; font-weight: 600; color: var(--soft); }
.said { border-radius: 4px 12px 12px 4px; border-left: 3px solid var(--soft); background: var(--fill); padding: 11px 14px 12px; }
.said > b { display: block; font-size: 12px; font-weight: 650; color: var(--soft); }
.said > * + * { margin-top: 4px; }
.failed, .warning { background: var(--warn); border-color: var(--warn-line); }
.failed > b, .warning > b { color: var(--warn-line); }
.again { margin-top: 9px; padding: 5px 13px; border: 1px solid var(--warn-line); border-radius: 8px; color: var(--warn-line); font-size: 13.5px; font-weight: 600; }
.wait { display: flex; align-items: center; gap: 10px; color: var(--soft); font-size: 14.5px; }
.wait i, [aria-busy] .text > :last-child::after { content: ""; display: inline-block; width: 7px; height: 7px; border-radius: 50%; background: var(--accent); animation: beat 1.2s ease-in-out infinite; }
[aria-busy] .text > :last-child::after { margin-left: 7px; }
@keyframes beat { 50% { opacity: .25; transform: scale(.7); } }
.stopped { color: var(--soft); font-size: 13px; }
form { padding: 0 14px 14px; }
.subject { display: flex; align-items: flex-start; gap: 4px; padding: 0 0 8px 8px; }
.subject .quote { flex: 1; margin: 5px 0; }
.field { display: flex; align-items: flex-end; gap: 6px; padding: 5px; border: 1px solid var(--line); border-radius: 15px; background: var(--paper); }
.field:focus-within { border-color: var(--accent); box-shadow: 0 0 0 1px var(--accent); }
textarea, textarea:focus-visible { outline: 0; }
textarea { flex: 1; min-width: 0; resize: none; border: 0; background: none; padding: 6px 4px 6px 11px; font-size: 16px; line-height: 1.4; max-height: 134px; }
textarea::placeholder { color: var(--soft); opacity: 1; }
.send { flex: none; display: grid; place-items: center; width: 36px; height: 36px; border-radius: 10px; background: var(--accent); color: var(--on-accent); }
.stop { background: var(--ink); color: var(--paper); }
.stop path { fill: currentcolor; }
.sr { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (max-width: 520px) {
.open { right: 16px; bottom: max(16px, env(safe-area-inset-bottom)); }
.veil { display: block; }
.panel { inset: auto 0 0; width: auto; height: min(88%, 100% - 28px); border-radius: 20px 20px 0 0; padding-bottom: env(safe-area-inset-bottom); }
.icon { width: 44px; height: 44px; }
.send { width: 40px; height: 40px; }
textarea { padding-block: 8px; }
}
@media (prefers-reduced-motion: reduce) { * { animation: none !important; transition: none !important; } }
@media (prefers-contrast: more) { :host { --soft: var(--ink); --line: var(--soft); } }
@media (forced-colors: active) { .panel, .pill, .send { border: 1px solid; } }
@media print { .all { display: none; } }`;

const PATHS = {
  ask: "M4 5.5A2.5 2.5 0 0 1 6.5 3H20v14H6.5A2.5 2.5 0 0 0 4 19.5z M4 19.5A2.5 2.5 0 0 0 6.5 21H20 M10.2 8.2a2 2 0 1 1 2.7 1.9c-.6.2-.9.7-.9 1.3 M12 13.6v.1",
  send: "M12 19V5 M6 11l6-6 6 6",
  stop: "M8 8h8v8H8z M10 10h4v4h-4z",
  close: "M6 6l12 12 M18 6L6 18",
  anew: "M4 12a8 8 0 1 0 2.6-5.9 M4 4v4.5h4.5",
};

function fill(node, attributes, ...children) {
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}
const el = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, ...children);
const drawn = (name, ...rest) => fill(document.createElementNS("http://www.w3.org/2000/svg", name), ...rest);
const icon = (name, size = 20) => drawn("svg", { viewBox: "0 0 24 24", width: size, height: size, "aria-hidden": "true" }, drawn("path", { d: PATHS[name] }));
const button = (kind, says, shows) => el("button", { type: "button", class: kind, "aria-label": says, title: says }, icon(shows));

// An answer's text: paragraphs, lists, code and tables, by the rules of the chat page.

function inline(text, mark) {
  const nodes = [];
  let end = 0;
  for (const match of text.matchAll(/`([^`\n]+)`|\*\*([^*\n]+)\*\*|\[(\d{1,3})\]/g)) {
    const [all, code, strong, n] = match;
    const node = code ? el("code", {}, code) : strong ? el("strong", {}, strong) : mark(Number(n));
    if (!node) continue;
    const before = text.slice(end, match.index);
    if (before) nodes.push(n ? before.replace(/ $/, "\u00a0") : before);
    nodes.push(node);
    end = match.index + all.length;
  }
  if (end < text.length) nodes.push(text.slice(end));
  return nodes;
}

function kindOf(line) {
  let match;
  if (!line.trim()) return ["", ""];
  if (line.startsWith("WARNING: ")) return ["warning", line.slice(9)];
  if ((match = /^\s*[-*•]\s+(.+)$/.exec(line))) return ["ul", match[1]];
  if ((match = /^\s*(\d{1,3})[.)]\s+(.+)$/.exec(line))) return ["ol", match[2], Number(match[1])];
  return [/^\s*\|.*\|/.test(line) ? "table" : "p", line];
}

function runsOf(text) {
  const runs = [];
  let now = "";
  let fence = "";
  for (const written of text.split(/\r?\n/)) {
    if (fence) {
      if (written.trim() === fence) now = fence = "";
      else runs.at(-1).lines.push(written);
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
    let [kind, content, start = 1] = kindOf(line);
    if (kind === "ol" && before === "p" && start !== 1) [kind, content] = ["p", line];
    now = kind;
    if (kind === "p" && ["p", "ul", "ol", "warning"].includes(before)) {
      const { lines } = runs.at(-1);
      now = before;
      lines.push(`${lines.pop()} ${content.trim()}`);
    } else if (kind) {
      if (kind !== before || kind === "warning") runs.push({ kind, start, lines: [] });
      runs.at(-1).lines.push(content.trim());
    }
  }
  return runs;
}

function blocks(text, mark) {
  const rule = (line) => /^[\s|:-]+$/.test(line);
  return runsOf(text).map(({ kind, start, lines }) => {
    if (kind === "code") return el("pre", { tabindex: 0 }, el("code", {}, lines.map((line) => `${line}\n`).join("")));
    if (kind === "p") return el("p", {}, ...inline(lines[0], mark));
    if (kind === "warning") return el("div", { class: "said warning", role: "note" }, el("b", {}, "Warning"), ...inline(lines[0], mark));
    if (kind !== "table") {
      return el(kind, kind === "ol" ? { start } : {}, ...lines.map((line) => el("li", {}, ...inline(line, mark))));
    }
    const table = el("table", lines.length > 1 && rule(lines[1]) ? { class: "headed" } : {});
    for (const line of lines.filter((one) => !rule(one))) {
      const cells = line.replace(/^\|+|\|+$/g, "").split("|");
      table.append(el("tr", {}, ...cells.map((cell) => el("td", {}, ...inline(cell.trim(), mark)))));
    }
    return el("div", { class: "table", tabindex: 0 }, table);
  });
}

// The book's own page of a citation, at the quoted words. Only http and https lead anywhere.
function pageOf({ url, quote }) {
  let page;
  try {
    page = new URL(url, server);
  } catch {
    return null;
  }
  if (!url || !/^https?:$/.test(page.protocol)) return null;
  const words = (quote || "").replace(/[`*]/g, "").split(/\s+/).filter(Boolean);
  const code = (run) => encodeURIComponent(run.join(" ")).replace(/-/g, "%2D");
  const text = (words.length > 12 ? [words.slice(0, 5), words.slice(-5)] : [words]).map(code).join(",");
  if (!page.hash) page.hash = `${page.origin === server.origin ? "passage" : ""}${text && `:~:text=${text}`}`;
  return page;
}

function describe(citation) {
  const { n, book_title, chapter, section, page_label } = citation;
  const place = [...new Set([chapter, section].filter(Boolean).map(String))];
  const name = place.pop() || book_title || (citation.url ? `Source ${n}` : "The selected text");
  const within = [...place, page_label && `p. ${page_label}`].filter(Boolean).join(" · ");
  return { name: String(name), within, page: pageOf(citation) };
}

function linkTo(page, attributes, ...children) {
  const here = page.href.split("#")[0] === location.href.split("#")[0];
  return el("a", { ...attributes, href: page.href, ...(here ? {} : { target: "_blank", rel: "noopener noreferrer" }) }, ...children);
}

function drawAnswer(answer) {
  const cited = new Map(answer.citations.map((citation) => [citation.n, citation]));
  const mark = (n) => {
    if (!cited.has(n)) return null;
    const { name, page } = describe(cited.get(n));
    return page ? linkTo(page, { class: "badge", "aria-label": `Source ${n}: ${name}`, title: name }, String(n)) : el("span", { class: "badge" }, String(n));
  };
  const text = el("div", { class: "text" }, ...blocks(answer.answer, mark));
  if (answer.refused) return [el("div", { class: "said refused" }, el("b", {}, "Not in the book"), text)];
  if (!cited.size) return [text];
  const rows = answer.citations.map((citation) => {
    const { name, within, page } = describe(citation);
    const what = el("div", {}, page ? linkTo(page, {}, name, el("span", { class: "sr" }, page.origin === location.origin ? "" : " (opens in a new tab)")) : el("b", {}, name));
    if (within) what.append(el("small", {}, within));
    if (citation.quote) what.append(el("q", {}, citation.quote));
    for (const tag of [citation.is_simulation && "Simulation", citation.note])
      if (tag) what.append(el("span", { class: "tag" }, tag));
    return el("li", {}, el("span", { class: "n" }, String(citation.n)), what);
  });
  return [text, el("ol", { class: "sources", "aria-label": "Sources" }, ...rows)];
}

class Problem extends Error {}

const wordsOf = (problem) => {
  const words = String(problem?.detail || problem?.title || "Something went wrong.");
  return words[0].toUpperCase() + words.slice(1);
};

// A page that may not ask cannot read why; this script is for every page.
const reason = () =>
  fetch(script.src, { mode: "no-cors", cache: "no-store" }).then(
    () => "Questions are not allowed from this page: the book's server does not list its site.",
    () => "The book's server cannot be reached. Please try again.",
  );

async function* ask(path, body, signal) {
  const reach = async (step) => {
    try {
      return await step();
    } catch (error) {
      throw error.name === "AbortError" ? error : new Problem(await reason());
    }
  };
  const response = await reach(() =>
    fetch(new URL(path, server), {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
      body: JSON.stringify(body),
      credentials: "omit",
      referrerPolicy: "no-referrer",
      signal,
    }),
  );
  if (response.status === 404) throw new Problem("This book is not on its server.");
  if (!response.ok) throw new Problem(wordsOf(await response.json().catch(() => null)));
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let buffer = ""; ; ) {
    const { done, value } = await reach(() => reader.read());
    if (done) throw new Problem("The answer broke off before its end. Please ask again.");
    buffer += value;
    for (let end; (end = buffer.indexOf("\n\n")) >= 0; buffer = buffer.slice(end + 2)) {
      const [, name, data] = /^event: (\w+)\ndata: (.*)$/s.exec(buffer.slice(0, end)) ?? [];
      if (name === "error") throw new Problem(wordsOf(JSON.parse(data)));
      if (name) yield { name, data: JSON.parse(data) };
      if (name === "answer") return;
    }
  }
}

const opener = el("button", { type: "button", class: "pill open", "aria-haspopup": "dialog", "aria-expanded": "false" }, icon("ask", 22), label);
const about = el("button", { type: "button", class: "pill about", hidden: "" }, icon("ask", 18), "Ask about this");
const veil = el("div", { class: "veil", hidden: "" });
const heading = el("h2", { id: "title" }, title);
const anew = button("icon anew", "Start over", "anew");
const closer = button("icon close", "Close", "close");
const log = el("div", { class: "log", tabindex: 0, role: "region", "aria-label": "Conversation" });
const status = el("p", { class: "sr", role: "status", "aria-live": "polite" });
const subject = el("div", { class: "subject", hidden: "" });
const input = el("textarea", { id: "question", rows: 1, enterkeyhint: "send", autocomplete: "off" });
const send = el("button", { type: "submit", class: "send", "aria-label": "Send", title: "Send" }, icon("send"));
const stop = button("send stop", "Stop", "stop");
const form = el("form", {}, subject, el("div", { class: "field" }, el("label", { class: "sr", for: "question" }, "Your question"), input, send, stop));
const panel = el("section", { class: "panel", role: "dialog", "aria-labelledby": "title", hidden: "" }, el("header", {}, heading, anew, closer), log, status, form);
const host = el("ragstone-widget");
const shadow = host.attachShadow({ mode: "open" });
const sheet = new CSSStyleSheet();
sheet.replaceSync(STYLE);
shadow.adoptedStyleSheets = [sheet];
shadow.append(el("div", { class: "all" }, about, opener, veil, panel));

const narrow = matchMedia("(max-width: 520px)");
const calm = matchMedia("(prefers-reduced-motion: reduce)");
const night = matchMedia("(prefers-color-scheme: dark)");
let past = [];
let running = null;
let selected = "";
let selection = "";
let cameFrom = null;

// The page's own scheme: what it declares, else what its background looks like.
function scheme() {
  const root = document.documentElement;
  const meta = document.querySelector('meta[name="color-scheme"]')?.content ?? "";
  const style = getComputedStyle(root).colorScheme;
  const declared = style && style !== "normal" ? style : meta;
  const [light, dark] = [/\blight\b/.test(declared), /\bdark\b/.test(declared)];
  let isDark = dark && (!light || night.matches);
  if (!light && !dark) {
    for (const node of [document.body, root]) {
      const [r, g, b, alpha = 1] = (/^rgba?\((.+)\)$/.exec(getComputedStyle(node).backgroundColor)?.[1] ?? "0,0,0,0").split(/[\s,/]+/).map(Number);
      if (!alpha) continue;
      isDark = 0.3 * r + 0.59 * g + 0.11 * b < 110;
      break;
    }
  }
  host.dataset.scheme = isDark ? "dark" : "light";
}

function open() {
  if (panel.hidden) cameFrom = shadow.activeElement ?? document.activeElement;
  panel.hidden = veil.hidden = false;
  opener.hidden = about.hidden = true;
  panel.setAttribute("aria-modal", String(narrow.matches));
  opener.setAttribute("aria-expanded", "true");
  scheme();
  tidy();
  input.focus({ preventScroll: true });
}

function close() {
  panel.hidden = veil.hidden = true;
  opener.hidden = false;
  opener.setAttribute("aria-expanded", "false");
  const back = cameFrom?.isConnected && cameFrom !== document.body && cameFrom !== about ? cameFrom : opener;
  back.focus({ preventScroll: true });
}

function tidy() {
  send.hidden = Boolean(running);
  stop.hidden = !running;
  anew.hidden = !past.length && !running;
  input.placeholder = selection ? "What does this mean?" : "Ask a question";
  input.style.height = "auto";
  input.style.height = `${input.scrollHeight}px`;
  if (!log.childElementCount) {
    const hint = "Every answer says where it stands. Or select words on the page and ask about just those.";
    log.append(el("div", { class: "hello" }, el("i", {}, icon("ask", 26)), el("b", {}, "What would you like to know?"), hint));
  }
}

function askAbout(text) {
  selection = text;
  const drop = button("icon", "Ask about the whole book instead", "close");
  drop.addEventListener("click", () => {
    askAbout("");
    input.focus();
  });
  subject.replaceChildren(el("span", { class: "sr" }, "About: "), el("span", { class: "quote" }, text), drop);
  subject.hidden = !text;
  tidy();
}

function show(answer, end, again) {
  answer.removeAttribute("aria-busy");
  if (end.answer) {
    answer.replaceChildren(...drawAnswer(end.answer));
    status.textContent = `${end.answer.refused ? "Not in the book. " : ""}${end.answer.answer.replace(/\s*\[\d+\]/g, "")}`;
  } else if (end.problem) {
    const retry = el("button", { type: "button", class: "again" }, "Try again");
    retry.addEventListener("click", again);
    answer.replaceChildren(el("div", { class: "said failed" }, el("b", {}, "That did not work"), el("p", {}, end.problem), retry));
    status.textContent = end.problem;
  } else {
    answer.replaceChildren(el("div", { class: "text" }, ...blocks(end.stopped, () => null)), el("p", { class: "stopped" }, "Stopped"));
    status.textContent = "Stopped";
  }
}

async function follow(answer, path, body, signal) {
  let text = "";
  let frame = 0;
  const draw = () => {
    frame = 0;
    const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 60;
    answer.replaceChildren(el("div", { class: "text" }, ...blocks(text, (n) => el("span", { class: "badge" }, String(n)))));
    if (atEnd) log.scrollTop = log.scrollHeight;
  };
  try {
    for await (const { name, data } of ask(path, body, signal)) {
      if (name === "answer") return { answer: data };
      if (name !== "delta") continue;
      text += data.text;
      frame ||= requestAnimationFrame(draw);
    }
  } catch (error) {
    if (signal.aborted) return { stopped: text };
    if (error instanceof Problem) return { problem: error.message };
  } finally {
    cancelAnimationFrame(frame);
  }
  return { problem: wordsOf() };
}

async function put(words, subjectText = selection) {
  const question = words.trim();
  if (!question || running) return input.focus();
  const asked = el("div", { class: "asked" }, el("span", { class: "sr" }, "You asked: "));
  if (subjectText) asked.append(el("span", { class: "quote" }, subjectText));
  asked.append(el("p", {}, question));
  const answer = el("div", { class: "answer", "aria-busy": "true" }, el("p", { class: "wait" }, el("i"), "Looking it up"));
  const turn = el("article", { class: "turn" }, asked, answer);
  log.querySelector(".hello")?.remove();
  log.append(turn);
  running = new AbortController();
  input.value = "";
  tidy();
  input.focus({ preventScroll: true });
  log.scrollTo({ top: log.scrollHeight, behavior: calm.matches ? "auto" : "smooth" });
  const body = { question, ...(book && { book }) };
  if (subjectText) body.selection = subjectText;
  else {
    const turn = ({ question, answer: { answer, refused } }) => ({ question, answer: refused ? "" : answer.slice(0, 4000) });
    body.history = past.filter((each) => each.answer).slice(-8).map(turn);
  }
  const end = await follow(answer, subjectText ? "query-selection" : "query", body, running.signal);
  if (!turn.isConnected) return; // started over meanwhile
  running = null;
  const wasStop = shadow.activeElement === stop;
  show(answer, end, () => {
    past = past.filter((each) => each.turn !== turn);
    turn.remove();
    put(question, subjectText);
  });
  past.push({ question, turn, ...end });
  tidy();
  if (wasStop) input.focus();
  // the question stays in sight: an answer is read from its beginning
  log.scrollTo({ top: Math.min(turn.offsetTop - log.offsetTop - 16, log.scrollHeight), behavior: calm.matches ? "auto" : "smooth" });
}

function reset() {
  running?.abort();
  running = null;
  past = [];
  log.replaceChildren();
  status.textContent = "";
  askAbout("");
  input.focus();
}

// Words that are selected on the page can be asked about.
function look() {
  const chosen = getSelection();
  const range = chosen.rangeCount ? chosen.getRangeAt(0) : null;
  const text = chosen.toString().trim();
  const typed = /^(INPUT|TEXTAREA|SELECT|RAGSTONE-WIDGET)$/.test(document.activeElement?.tagName) || document.activeElement?.isContentEditable;
  if (shadow.activeElement === about) return; // on its way by Tab
  selected = !typed && range && text.length > 1 ? text : "";
  about.hidden = !selected || (!panel.hidden && narrow.matches);
  if (about.hidden) return;
  const box = [...range.getClientRects()].at(-1) ?? range.getBoundingClientRect();
  const [width, height] = [about.offsetWidth, about.offsetHeight];
  about.hidden = box.bottom < 0 || box.top > innerHeight;
  about.style.left = `${Math.max(10, Math.min(box.right - width / 2, document.documentElement.clientWidth - width - 10))}px`;
  about.style.top = `${Math.max(10, Math.min(box.bottom + 10, innerHeight - height - 10))}px`;
}

function keys(event) {
  // the page must not take what is typed here for its own shortcuts
  event.stopPropagation();
  if (event.type !== "keydown" || event.isComposing) return;
  if (event.key === "Escape" && !panel.hidden) {
    event.preventDefault();
    close();
  } else if (event.key === "Tab" && panel.contains(shadow.activeElement)) {
    const stops = [...panel.querySelectorAll("a[href], button, textarea, [tabindex='0']")].filter((node) => node.offsetParent);
    const [first, last] = [stops[0], stops.at(-1)];
    if (shadow.activeElement !== (event.shiftKey ? first : last)) return;
    event.preventDefault();
    (event.shiftKey ? last : first).focus();
  } else if (event.target === input && event.key === "Enter" && !event.shiftKey) {
    event.preventDefault();
    put(input.value);
  } else if (event.target === input && event.key === "ArrowUp" && !input.value && past.length) {
    event.preventDefault();
    input.value = past.at(-1).question;
    tidy();
  }
}

let waiting = 0;
const lookSoon = () => {
  clearTimeout(waiting);
  waiting = setTimeout(look, 120);
};
document.addEventListener("selectionchange", lookSoon);
addEventListener("scroll", () => about.hidden || look(), { passive: true, capture: true });
addEventListener("resize", lookSoon);
for (const type of ["keydown", "keyup", "keypress"]) shadow.addEventListener(type, keys);
for (const node of [opener, about]) node.addEventListener("mousedown", (event) => event.preventDefault());
opener.addEventListener("click", () => {
  if (selected) askAbout(selected);
  open();
});
about.addEventListener("click", () => {
  askAbout(selected);
  open();
});
about.addEventListener("blur", lookSoon);
veil.addEventListener("click", close);
closer.addEventListener("click", close);
anew.addEventListener("click", reset);
stop.addEventListener("click", () => running?.abort());
input.addEventListener("input", tidy);
form.addEventListener("submit", (event) => {
  event.preventDefault();
  put(input.value);
});
// above the keyboard of a phone
const viewport = globalThis.visualViewport;
viewport?.addEventListener("resize", () => {
  shadow.querySelector(".all").style.bottom = narrow.matches ? `${Math.max(0, innerHeight - viewport.height - viewport.offsetTop)}px` : "";
});
night.addEventListener("change", scheme);

function start() {
  document.body.append(host);
  const watch = new MutationObserver(scheme);
  for (const node of [document.documentElement, document.body]) watch.observe(node, { attributes: true });
  scheme();
  tidy();
}
if (document.body) start();
else document.addEventListener("DOMContentLoaded", start);
})();
