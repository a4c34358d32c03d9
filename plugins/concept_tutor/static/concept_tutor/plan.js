// A plan's page: the drawing in another size, its chosen concept in view, and how far the sources are.

const root = document.querySelector("[data-plan]");
const calm = matchMedia("(prefers-reduced-motion: reduce)");

// Each drawing in another size: one is for phones, and the style sheet shows one of them.
function draw() {
  for (const graph of document.querySelectorAll("[data-graph]")) drawOne(graph, graph.parentElement);
}

function drawOne(graph, around) {
  const svg = graph.querySelector("svg");
  const full = Number(svg.getAttribute("width"));
  const ratio = Number(svg.getAttribute("height")) / full;
  const zoom = around.querySelector("[data-zoom]");
  zoom.hidden = false;
  zoom.addEventListener("click", ({ target }) => {
    const by = Number(target.closest("[data-by]")?.dataset.by);
    if (!by) return;
    const now = svg.getBoundingClientRect().width;
    const width = Math.min(full * 2.5, Math.max(240, now * by));
    const middle = (graph.scrollLeft + graph.clientWidth / 2) / now;
    svg.classList.remove("fits");
    svg.setAttribute("width", width);
    svg.setAttribute("height", width * ratio);
    graph.scrollLeft = middle * width - graph.clientWidth / 2;
  });
  const box = graph.querySelector(".box.chosen, .box.next");
  if (!box || !graph.clientWidth) return;
  const at = box.getBoundingClientRect();
  const frame = graph.getBoundingClientRect();
  graph.scrollLeft += at.left - frame.left - (graph.clientWidth - at.width) / 2;
  graph.scrollTop += at.top - frame.top - (graph.clientHeight - at.height) / 2;
}

function focusBox(key) {
  const boxes = [...document.querySelectorAll(`[data-graph] .box[data-key="${CSS.escape(key)}"]`)];
  boxes.find((box) => box.getClientRects().length)?.focus({ preventScroll: true });
}

// A concept is chosen within the page; without this file its link loads the same page.
async function choose(url, push) {
  const response = await fetch(url, { headers: { Accept: "text/html" } });
  if (!response.ok) throw new Error("no page");
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const fresh = page.querySelector(".map");
  const held = [...document.querySelectorAll("[data-graph]")].map((one) => [one.scrollLeft, one.scrollTop]);
  const boxes = document.querySelectorAll(".box").length;
  const focused = document.activeElement.closest?.(".map .box")?.dataset.key;
  document.querySelector(".map").replaceWith(document.importNode(fresh, true));
  draw();
  const graphs = [...document.querySelectorAll("[data-graph]")];
  if (boxes === document.querySelectorAll(".box").length) graphs.forEach((one, at) => one.scrollTo(...held[at]));
  if (focused) focusBox(focused);
  if (push) history.pushState({ chosen: true }, "", url);
}

root?.addEventListener("click", async (event) => {
  const link = event.target.closest(".box, .chosen ul:not(.pages) a, .concepts .name");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey || link.getAttribute("target")) return;
  event.preventDefault();
  const url = link.href.baseVal ?? link.href;
  try {
    await choose(url, true);
  } catch {
    location.href = url;
    return;
  }
  const key = new URL(url, location.href).searchParams.get("concept");
  if (link.matches(".box")) focusBox(key);
  else document.querySelector(".chosen h2")?.focus({ preventScroll: true });
  const panel = document.querySelector("aside.chosen");
  const { top, bottom } = panel.getBoundingClientRect();
  if (bottom > innerHeight || top < 0) panel.scrollIntoView({ block: "nearest", behavior: calm.matches ? "auto" : "smooth" });
  root.querySelector("[data-chosen]").textContent = panel.querySelector("h2").textContent;
});
addEventListener("popstate", () => choose(location.href, false).catch(() => location.reload()));
draw();

const WORDS = { waiting: "waiting", running: "looking for sources", none: "no sources", failed: "failed" };
let changed = false;
let drawing = null;
let drawn = 0;

// The drawing follows: it is the server's, asked for anew soon after a change, and at most every second and a half.
function follow() {
  drawing ??= setTimeout(async () => {
    await choose(location.href, false).catch(() => {});
    drawn = performance.now();
    drawing = null;
  }, Math.max(150, drawn + 1500 - performance.now()));
}

function show({ concept, state, chunks, done, of }) {
  const row = root.querySelector(`[data-concept="${CSS.escape(concept)}"]`);
  // also what changed between the page and its first event
  changed ||= row?.dataset.was !== state;
  if (row && (row.dataset.is ?? row.dataset.was) !== state) follow();
  if (row) row.dataset.is = state;
  const bar = root.querySelector("[data-bar]");
  bar.max = of;
  bar.value = done;
  root.querySelector("[data-progress]").textContent = `${done} of ${of} concepts`;
  const label = row?.querySelector("[data-state]");
  const words = state === "found" ? `${chunks} passage${chunks === 1 ? "" : "s"}` : WORDS[state];
  if (label && label.textContent !== words) label.textContent = words;
}

if (root?.dataset.events) {
  const source = new EventSource(root.dataset.events);
  source.addEventListener("progress", (event) => show(JSON.parse(event.data)));
  source.addEventListener("done", () => {
    source.close();
    if (changed) location.reload();
  });
  source.addEventListener("gone", () => {
    source.close();
    location.reload();
  });
  source.addEventListener("error", () => {
    // the browser tries again by itself, unless the server refused: then the page looks again
    if (source.readyState === EventSource.CLOSED) setTimeout(() => location.reload(), 4000);
  });
}
