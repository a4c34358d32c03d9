// The shelf: uploads and their progress, for a browser that has given the key. Without it the forms do the same.
// Names of books and files are the uploader's: each goes in as a text node, never as markup.

import { eventsOf, words } from "/static/ragstone/ask.js";
import { el } from "/static/ragstone/render.js";

const root = document.querySelector("[data-shelf]");
const part = (name) => root.querySelector(`[data-${name}]`);
const { api } = root.dataset;

const count = (number, one, many = `${one}s`) => `${number.toLocaleString()} ${number === 1 ? one : many}`;

function pagesOf(pages) {
  const runs = [];
  for (const page of pages) {
    const last = runs.at(-1);
    if (last && page === last[1] + 1) last[1] = page;
    else runs.push([page, page]);
  }
  const named = runs.map(([first, last]) => (first === last ? `${first}` : `${first}–${last}`));
  return `${pages.length === 1 ? "page" : "pages"} ${named.join(", ")}`;
}

async function call(path, options = {}) {
  let response;
  try {
    response = await fetch(`${api}${path}`, options);
  } catch {
    throw new Error("Ragstone cannot be reached. Is it still running?");
  }
  if (response.ok) return response;
  const error = new Error(words(await response.json().catch(() => null)));
  error.status = response.status;
  throw error;
}

function complain(error) {
  const problem = part("problem");
  problem.hidden = !error;
  problem.textContent = error?.message ?? "";
}

async function attempt(step) {
  try {
    complain(null);
    return await step();
  } catch (error) {
    complain(error);
    return null;
  }
}

// The server draws the list: its words are escaped there, and no script of it would run here.
async function showBooks() {
  const page = await (await fetch(location.pathname)).text();
  part("books").replaceWith(new DOMParser().parseFromString(page, "text/html").querySelector("[data-books]"));
}

function draw(row, job) {
  row.className = job.state;
  const parts = [el("b", {}, job.report?.title ?? job.file)];
  if (job.state === "failed") {
    parts.push(el("span", {}, words(job.problem)));
  } else if (job.state === "done") {
    const { report } = job;
    const kinds = ["added", "updated", "unchanged", "removed"].filter((kind) => report[kind]);
    parts.push(el("span", {}, `On the shelf: ${kinds.map((kind) => `${report[kind]} ${kind}`).join(", ")}; ${count(report.chunks, "passage")} embedded`));
    for (const [what, files] of [["Without text, to be read by OCR", report.needs_ocr], ["Damaged", report.broken_pages]]) {
      for (const { file, pages } of files) parts.push(el("small", {}, `${what}: ${pagesOf(pages)}${files.length > 1 ? ` of ${file}` : ""}`));
    }
    if (report.left_out.length) {
      const named = report.left_out.slice(0, 5).map(({ file, reason }) => `${file} (${reason})`);
      const more = report.left_out.length > 5 ? ` and ${report.left_out.length - 5} more` : "";
      parts.push(el("small", {}, `Left out: ${named.join(", ")}${more}`));
    }
  } else {
    const bar = el("progress", { "aria-label": `Progress of ${job.file}` });
    if (job.of > 1 || job.unstored) { // until a single file is read nobody knows how far it is
      bar.max = job.of;
      bar.value = job.files + job.embedded / (job.unstored || 1);
    }
    const passages = job.unstored ? `${job.chunks + job.embedded} of ${count(job.chunks + job.unstored, "passage")}` : count(job.chunks, "passage");
    const how = job.of > 1 ? `${job.files} of ${count(job.of, "file")} · ${passages}` : job.unstored ? passages : "Reading";
    const again = job.resumed ? " · the server was restarted and goes on with it" : "";
    parts.push(bar, el("span", {}, (job.state === "queued" ? "Waiting for its turn" : how) + again));
  }
  row.replaceChildren(...parts);
}

const later = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

// The upload goes on without anybody watching; whoever lost sight of it looks again.
async function watch(first, { reveal = false } = {}) {
  const row = el("li");
  let job = first;
  draw(row, job);
  part("jobs").prepend(row);
  if (reveal) row.scrollIntoView({ block: "nearest" }); // on a phone it is below the form
  while (!["done", "failed"].includes(job.state)) {
    try {
      for await (const { data } of eventsOf(await call(`/jobs/${job.id}/events`))) if (data) draw(row, (job = data));
    } catch (error) {
      if (error.status && error.status !== 503 && error.status !== 429) return complain(error);
      await later(2000);
    }
  }
  if (job === first) return; // it had ended before anybody looked
  part("status").textContent = job.state === "done" ? `${job.report.title} is on the shelf` : words(job.problem);
  await attempt(showBooks);
}

// Books that "ragstone book add --queue" queued; workers elsewhere read them.
async function watchQueue() {
  for (let shown = null; ; ) {
    const queue = await (await call("/queue")).json();
    const open = queue.waiting + queue.reading.length;
    if (!open && !queue.failed && shown === null) return; // there is none
    const counts = [`${queue.done} of ${queue.total} on the shelf`, `${queue.reading.length} being read`, `${queue.waiting} waiting`];
    if (queue.failed) counts.push(`${queue.failed} failed`);
    if (open && queue.minutes_left) counts.push(`about ${count(Math.ceil(queue.minutes_left), "minute")} left`);
    const bar = el("progress", { "aria-label": "Queued books", max: queue.total || 1, value: queue.done });
    const now = queue.reading.map(({ book, files, of }) => el("small", {}, of ? `${book}: ${files} of ${count(of, "file")}` : book));
    const failed = queue.failures.map(({ book, problem }) => el("small", {}, `${book}: ${problem}`));
    part("queue").replaceChildren(el("li", {}, el("b", {}, "Queued books"), bar, el("span", {}, counts.join(" · ")), ...now, ...failed));
    if (shown !== null && shown !== queue.done) await attempt(showBooks);
    shown = queue.done;
    if (!open) return;
    await later(3000);
  }
}
attempt(watchQueue);

part("jobs").replaceChildren();
attempt(async () => {
  const { jobs } = await (await call("/jobs")).json();
  // uploads under way, and those that a restart of the server ended; the others were seen to their end
  for (const job of jobs.filter(({ state, resumed }) => state !== "done" && (state !== "failed" || resumed))) watch(job);
});

part("upload").addEventListener("submit", (event) => {
  event.preventDefault();
  const form = event.target;
  const send = form.querySelector("button");
  send.disabled = true;
  attempt(async () => {
    const { job } = await (await call("", { method: "POST", body: new FormData(form) })).json();
    form.reset();
    watch(job, { reveal: true });
  }).finally(() => {
    send.disabled = false;
  });
});
