// The reader's conversations with one assistant: in this browser, or on the server where the page gives an address.

import { describe, el } from "./render.js";

const MOST = 50;

class InBrowser {
  constructor(name) {
    this.name = `ragstone.conversations.${name}`;
  }

  all() {
    try {
      const kept = JSON.parse(localStorage.getItem(this.name) ?? "[]");
      return Array.isArray(kept) ? kept : [];
    } catch {
      return [];
    }
  }

  // a browser that is full forgets the oldest ones
  put(kept) {
    for (let most = MOST; most > 0; most = Math.floor(most / 2)) {
      try {
        if (!kept.length) localStorage.removeItem(this.name);
        else localStorage.setItem(this.name, JSON.stringify(kept.slice(0, most)));
        return;
      } catch {
        // on with half of them
      }
    }
  }

  list = async () => this.all();
  read = async (id) => this.all().find((each) => each.id === id);
  write = async (one) => this.put([one, ...this.all().filter(({ id }) => id !== one.id)]);
  remove = async (id) => this.put(this.all().filter((each) => each.id !== id));
}

class OnServer {
  constructor(address) {
    this.address = address;
  }

  async call(id = "", options = {}) {
    const response = await fetch(this.address + id, options);
    if (!response.ok) throw new Error(`conversations: ${response.status}`);
    return response.status === 204 ? null : response.json();
  }

  list = async () => (await this.call()).conversations.map((each) => ({ ...each, at: each.at * 1000 }));
  read = (id) => this.call(id).catch(() => undefined);
  write = ({ id, title, turns }) =>
    this.call(id, { method: "PUT", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ title, turns }) });
  remove = (id) => this.call(id, { method: "DELETE" });
}

export const storeOf = ({ keep, kept }) => (kept ? new OnServer(kept) : new InBrowser(keep));

// Words of a source stay words in a reader's Markdown: no markup of theirs, no link but those of the citations.
const plain = (text) =>
  text
    .split(/(```[\s\S]*?(?:```|$)|`[^`\n]*`)/)
    .map((part, at) => (at % 2 ? part : part.replace(/</g, "&lt;").replace(/\]([(:[])/g, "]\\$1")))
    .join("");

function sourcesOf(answer, names) {
  return (answer.citations ?? []).map((citation) => {
    const { title, place, url } = describe(citation, names);
    const words = [title, place].filter(Boolean).join(" · ");
    return { n: citation.n, words, url: url && new URL(url.split(":~:")[0].replace(/#$/, ""), location).href, quote: citation.quote };
  });
}

// An answer as text, with the list of its sources.
export function asText(answer, names) {
  const lines = sourcesOf(answer, names).map(({ n, words, url }) => `[${n}] ${[words, url].filter(Boolean).join(" · ")}`);
  return [answer.answer, lines.length && `Sources:\n${lines.join("\n")}`].filter(Boolean).join("\n\n");
}

export function asMarkdown({ title, turns }, names) {
  const parts = [`# ${plain(title).replace(/\s+/g, " ")}`];
  for (const { question, answer, problem, stopped } of turns) {
    parts.push(`## ${plain(question).replace(/\s+/g, " ")}`, plain(answer?.answer ?? problem ?? stopped ?? ""));
    const rows = answer ? sourcesOf(answer, names) : [];
    const line = ({ n, words, url, quote }) => {
      const name = plain(words).replace(/\s+/g, " ").replace(/[[\]]/g, "\\$&");
      return `- [${n}] ${url ? `[${name}](<${url}>)` : name}${quote ? `: “${plain(quote).replace(/\s+/g, " ")}”` : ""}`;
    };
    if (rows.length) parts.push(`Sources:\n\n${rows.map(line).join("\n")}`);
  }
  return `${parts.join("\n\n")}\n`;
}

export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // without TLS there is no clipboard, but this
    const area = el("textarea", { class: "sr" });
    area.value = text;
    (document.querySelector("dialog[open]") ?? document.body).append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

function download(text, title) {
  const address = URL.createObjectURL(new Blob([text], { type: "text/markdown" }));
  const name = title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "").slice(0, 60) || "conversation";
  el("a", { href: address, download: `${name}.md` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

// The dialog that lists them. `open(conversation)` shows one; `gone(id)` is called for one that was deleted.
export function fillDialog(dialog, store, { names, open, gone, renamed }) {
  const list = dialog.querySelector("ul");
  const act = (words, label, does) => {
    const button = el("button", { type: "button", class: "quiet", "aria-label": `${words}: ${label}` }, words);
    button.addEventListener("click", () => does(button));
    return button;
  };
  const row = ({ id, title, at }) => {
    const name = el("button", { type: "button", class: "name" }, title);
    const item = el("li", {}, name, el("time", { datetime: new Date(at).toISOString() }, new Date(at).toLocaleDateString()));
    name.addEventListener("click", async () => {
      const found = await store.read(id);
      if (!found) return;
      dialog.close();
      open(found);
    });
    const rename = act("Rename", title, () => {
      const input = el("input", { "aria-label": "New name", maxlength: 200 });
      input.value = title;
      name.replaceWith(input);
      input.select();
      const done = async (keep) => {
        const words = input.value.trim();
        input.onblur = input.onkeydown = null;
        if (keep && words && words !== title) {
          await store.write({ ...(await store.read(id)), title: words });
          renamed(id, words);
        }
        show();
      };
      input.onblur = () => done(true);
      input.onkeydown = (event) => {
        if (event.key !== "Enter" && event.key !== "Escape") return;
        event.preventDefault();
        done(event.key === "Enter");
      };
    });
    const save = act("Export", title, async () => download(asMarkdown(await store.read(id), names), title));
    const remove = act("Delete", title, async () => {
      if (!remove.classList.contains("sure")) {
        remove.classList.add("sure");
        remove.textContent = "Really delete?";
        return;
      }
      await store.remove(id);
      gone(id);
      show();
    });
    item.append(el("span", { class: "acts" }, rename, save, remove));
    return item;
  };
  async function show() {
    const kept = await store.list().catch(() => []);
    list.replaceChildren(...(kept.length ? kept.map(row) : [el("li", { class: "none" }, "None yet.")]));
  }
  dialog.querySelector(".close").addEventListener("click", () => dialog.close());
  return async () => {
    await show();
    dialog.showModal();
  };
}
