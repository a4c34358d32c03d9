// Turns every [data-chat] into a conversation. Without this file its form still asks by loading a page.

import { ask, Problem } from "./ask.js";
import { asText, copy, fillDialog, storeOf } from "./conversations.js";
import { drawFormulas } from "./formulas.js";
import { el, renderAnswer, renderText } from "./render.js";

const calm = matchMedia("(prefers-reduced-motion: reduce)");

class Chat {
  constructor(root) {
    this.root = root;
    this.form = root.querySelector("form");
    this.log = root.querySelector("[data-log]");
    this.status = root.querySelector("[data-status]");
    this.input = this.form.elements.q;
    this.send = root.querySelector(".send");
    this.stop = root.querySelector(".stop");
    this.clear = root.querySelector(".clear");
    this.names = { ...JSON.parse(root.dataset.place), tab: "tab" in root.dataset };
    this.running = null;
    this.turns = [];
    this.id = null;
    this.title = "";
    this.listen();
    this.tidy();
    if ("keep" in root.dataset) this.openKept();
  }

  listen() {
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.ask(this.input.value);
    });
    this.input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.ask(this.input.value);
    });
    this.input.addEventListener("input", () => this.grow());
    this.stop.addEventListener("click", () => this.running?.abort());
    this.root.addEventListener("chat-reset", () => this.reset());
    this.root.addEventListener("click", (event) => {
      const example = event.target.closest("[data-ask]");
      if (!example || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      this.ask(example.textContent);
    });
    this.clear?.addEventListener("click", () => {
      this.reset();
      this.input.focus();
    });
  }

  grow() {
    this.input.style.height = "auto";
    this.input.style.height = `${this.input.scrollHeight + 2}px`;
  }

  tidy() {
    this.send.hidden = Boolean(this.running);
    this.stop.hidden = !this.running;
    this.root.classList.toggle("started", this.log.childElementCount > 0);
    if (this.clear) this.clear.hidden = !this.log.childElementCount;
    this.root.querySelectorAll(".exchange:not(:has(.acts))").forEach((exchange) => this.offerCopy(exchange));
  }

  async ask(words) {
    const question = words.trim();
    if (!question || this.running) {
      this.input.focus();
      return;
    }
    const fields = [...new FormData(this.form)].filter(([name, value]) => name !== "q" && name !== "history" && value);
    const { exchange, answer } = this.open(question);
    this.running = new AbortController();
    this.input.value = "";
    this.grow();
    this.tidy();
    this.input.focus({ preventScroll: true });
    exchange.scrollIntoView({ block: "start", behavior: calm.matches ? "auto" : "smooth" });
    const body = { question, ...Object.fromEntries(fields) };
    if (!body.selection) body.history = this.history();
    const result = await this.follow(answer, body);
    this.running = null;
    answer.removeAttribute("aria-busy");
    if (document.activeElement === this.stop) this.input.focus();
    this.tidy();
    if (!exchange.isConnected) return; // started over meanwhile
    if (result.problem && !this.input.value) {
      this.input.value = question;
      this.grow();
    }
    exchange.turn = { question, ...result };
    this.turns.push(exchange.turn);
    this.tidy();
    this.keep();
  }

  // What was asked and answered last, so that "and why?" can be understood.
  history() {
    const turn = ({ question, answer: { answer, refused } }) => ({ question, answer: refused ? "" : answer.slice(0, 4000) });
    return this.turns.filter((each) => each.answer).slice(-8).map(turn);
  }

  open(question) {
    const said = el("span", { class: "sr" }, "You asked: ");
    const answer = el("div", { class: "answer", "aria-busy": "true" }, el("p", { class: "wait" }, "Looking it up"));
    const exchange = el("article", { class: "exchange" }, el("h2", { class: "question", ...(question.length > 300 && { tabindex: 0 }) }, said, question), answer);
    this.log.append(exchange);
    return { exchange, answer };
  }

  offerCopy(exchange) {
    if (!exchange.turn?.answer) return;
    const button = el("button", { type: "button", class: "quiet" }, "Copy");
    button.addEventListener("click", async () => {
      await copy(asText(exchange.turn.answer, this.names));
      this.status.textContent = button.textContent = "Copied";
      setTimeout(() => (button.textContent = "Copy"), 2000);
    });
    exchange.append(el("p", { class: "acts" }, button));
  }

  async follow(answer, body) {
    let text = "";
    let frame = 0;
    const draw = () => {
      frame = 0;
      const mark = (n) => el("span", { class: "badge pending" }, String(n));
      answer.replaceChildren(el("div", { class: "text" }, ...renderText(text, mark)));
    };
    const { signal } = this.running;
    try {
      for await (const { name, data } of ask(this.root.dataset.endpoint, body, signal)) {
        if (name === "answer") return this.show(answer, { answer: data });
        if (name !== "delta") continue;
        text += data.text;
        frame ||= requestAnimationFrame(draw);
      }
    } catch (error) {
      if (signal.aborted) return this.show(answer, { stopped: text });
      if (!(error instanceof Problem)) throw error;
      return this.show(answer, { problem: error.message });
    } finally {
      cancelAnimationFrame(frame);
    }
    return {};
  }

  // Draws how a question ended, and says it once, whole, to a screen reader.
  show(answer, result) {
    if (result.answer) {
      answer.classList.toggle("refused", result.answer.refused || result.answer.closest);
      answer.replaceChildren(...renderAnswer(result.answer, this.names));
      drawFormulas(answer, this.root.dataset.formulas);
      this.status.textContent = result.answer.answer.replace(/\[(\d+)\]/g, "");
    } else if (result.problem) {
      answer.classList.add("failed");
      answer.replaceChildren(el("p", { class: "state" }, "That did not work"), el("p", {}, result.problem));
      this.status.textContent = result.problem;
    } else {
      const text = el("div", { class: "text" }, ...renderText(result.stopped, () => null));
      answer.replaceChildren(text, el("p", { class: "state" }, "Stopped"));
      this.status.textContent = "Stopped";
    }
    return result;
  }

  reset() {
    this.running?.abort();
    this.log.replaceChildren();
    this.status.textContent = "";
    this.turns = [];
    this.id = null;
    this.title = "";
    this.mark();
    this.tidy();
  }

  // This entry of the tab's history names the conversation: opening a source and coming back shows it again.
  mark() {
    if (!this.store) return;
    const url = new URL(location);
    url.searchParams.delete("q");
    history.replaceState(this.id && { conversation: this.id }, "", url.pathname + url.search);
  }

  keep() {
    if (!this.store) return;
    this.id ??= crypto.randomUUID?.() ?? Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16)).join("-");
    this.title ||= this.turns[0].question.replace(/\s+/g, " ").slice(0, 120);
    this.mark();
    this.store.write({ id: this.id, title: this.title, at: Date.now(), turns: this.turns }).catch(() => {
      this.status.textContent = "This conversation could not be kept.";
    });
  }

  // What the server has drawn is the conversation's beginning, unless this page is shown again.
  async openKept() {
    this.store = storeOf(this.root.dataset);
    const dialog = this.root.querySelector("dialog");
    const button = this.root.querySelector(".kept-open");
    button.hidden = false;
    const show = fillDialog(dialog, this.store, {
      names: this.names,
      open: (found) => this.restore(found),
      gone: (id) => id === this.id && this.reset(),
      renamed: (id, title) => id === this.id && (this.title = title),
    });
    button.addEventListener("click", show);
    const id = history.state?.conversation;
    const found = id && (await this.store.read(id));
    if (this.running || this.turns.length) return;
    if (found) this.restore(found);
    else if (!id) this.takeDrawn();
  }

  takeDrawn() {
    for (const exchange of this.log.querySelectorAll("[data-turn]")) {
      exchange.turn = JSON.parse(exchange.dataset.turn);
      this.turns.push(exchange.turn);
    }
    this.tidy();
    if (this.turns.length) this.keep();
  }

  restore({ id, title, turns }) {
    this.running?.abort();
    this.log.replaceChildren();
    [this.id, this.title, this.turns] = [id, title, turns];
    for (const turn of turns) {
      const { exchange, answer } = this.open(turn.question);
      exchange.turn = turn;
      answer.removeAttribute("aria-busy");
      this.show(answer, turn);
    }
    this.mark();
    this.tidy();
    this.status.textContent = "";
  }
}

for (const root of document.querySelectorAll("[data-chat]")) new Chat(root);
