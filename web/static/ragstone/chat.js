// Turns every [data-chat] into a conversation. Without this file its form still asks by loading a page.

import { ask, Problem } from "./ask.js";
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
    this.listen();
    if ("keep" in root.dataset) this.restore();
    this.tidy();
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
  }

  async ask(words) {
    const question = words.trim();
    if (!question || this.running) {
      this.input.focus();
      return;
    }
    const fields = [...new FormData(this.form)].filter(([name, value]) => name !== "q" && value);
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
    this.turns.push({ question, ...result });
    this.keep();
  }

  // What was asked and answered last, so that "and why?" can be understood.
  history() {
    const answered = this.turns.filter((each) => each.answer && !each.answer.refused).slice(-5);
    return answered.map((each) => ({ question: each.question, answer: each.answer.answer.slice(0, 4000) }));
  }

  open(question) {
    const said = el("span", { class: "sr" }, "You asked: ");
    const answer = el("div", { class: "answer", "aria-busy": "true" }, el("p", { class: "wait" }, "Looking it up"));
    const exchange = el("article", { class: "exchange" }, el("h2", { class: "question" }, said, question), answer);
    this.log.append(exchange);
    return { exchange, answer };
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
    this.keep(location.pathname);
    this.tidy();
  }

  // The conversation stays with this entry of the tab's history: opening a source and coming back keeps it.
  keep(url) {
    if (!("keep" in this.root.dataset)) return;
    history.replaceState(this.turns.length ? { turns: this.turns } : null, "", url);
  }

  restore() {
    this.turns = history.state?.turns ?? [];
    for (const { question, ...result } of this.turns) {
      const { answer } = this.open(question);
      answer.removeAttribute("aria-busy");
      this.show(answer, result);
    }
    this.status.textContent = "";
  }
}

for (const root of document.querySelectorAll("[data-chat]")) new Chat(root);
