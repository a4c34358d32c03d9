// A plan's page: the drawing in another size, its chosen concept in view, and how far the sources are.

const root = document.querySelector("[data-plan]");
const calm = matchMedia("(prefers-reduced-motion: reduce)");

// The drawing in another size, and what it is about in the middle of the window on it.
function draw() {
  const graph = document.querySelector("[data-graph]");
  const svg = graph?.querySelector("svg");
  if (!svg) return;
  const full = Number(svg.getAttribute("width"));
  const ratio = Number(svg.getAttribute("height")) / full;
  const zoom = document.querySelector("[data-zoom]");
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
  if (!box) return;
  const at = box.getBoundingClientRect();
  const around = graph.getBoundingClientRect();
  graph.scrollLeft += at.left - around.left - (graph.clientWidth - at.width) / 2;
  graph.scrollTop += at.top - around.top - (graph.clientHeight - at.height) / 2;
}

// A concept is chosen within the page; without this file its link loads the same page.
async function choose(url, push) {
  const response = await fetch(url, { headers: { Accept: "text/html" } });
  if (!response.ok) throw new Error("no page");
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const fresh = page.querySelector(".map");
  const held = document.querySelector("[data-graph]");
  const [left, top] = [held.scrollLeft, held.scrollTop];
  document.querySelector(".map").replaceWith(document.importNode(fresh, true));
  const now = document.querySelector("[data-graph]");
  draw();
  if (now.querySelectorAll(".box").length === held.querySelectorAll(".box").length) now.scrollTo(left, top);
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
  if (link.matches(".box")) document.querySelector(`.box[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
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

function show({ concept, state, chunks, done, of }) {
  const row = root.querySelector(`[data-concept="${CSS.escape(concept)}"]`);
  // also what changed between the page and its first event
  changed ||= row?.dataset.was !== state;
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
