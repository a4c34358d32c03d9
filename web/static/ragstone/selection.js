// Selected-text mode: readers select words inside [data-selectable] and ask about just those.

const area = document.querySelector("[data-selectable]");
const panel = document.querySelector("[data-selection]");
const float = document.querySelector("[data-float]");
const chat = panel.querySelector("[data-chat]");
const quote = panel.querySelector("[data-quote]");
const form = panel.querySelector("form");
let selected = "";
let opener = null;

function look() {
  const selection = getSelection();
  const range = selection.rangeCount ? selection.getRangeAt(0) : null;
  const text = selection.toString().trim();
  const inside = range && area.contains(range.commonAncestorContainer);
  // Tab moves from the text to the button: it must not vanish under the finger
  if (!inside || text.length < 2) {
    if (document.activeElement !== float) float.hidden = true;
    return;
  }
  selected = text;
  float.hidden = false;
  const box = range.getBoundingClientRect();
  const middle = box.left + box.width / 2 - float.offsetWidth / 2;
  const room = document.documentElement.clientWidth - float.offsetWidth - 8;
  float.style.left = `${Math.max(8, Math.min(middle, room))}px`;
  float.style.top = `${Math.min(box.bottom, innerHeight - 64) + scrollY + 10}px`;
}

function open(text, from) {
  if (form.elements.selection.value !== text) chat.dispatchEvent(new Event("chat-reset"));
  form.elements.selection.value = text;
  quote.textContent = text;
  quote.scrollTop = 0;
  opener = from;
  float.hidden = true;
  panel.hidden = false;
  document.body.classList.add("asking");
  form.elements.q.focus();
}

function close() {
  chat.dispatchEvent(new Event("chat-reset"));
  panel.hidden = true;
  document.body.classList.remove("asking");
  opener?.focus();
}

let waiting = 0;
document.addEventListener("selectionchange", () => {
  clearTimeout(waiting);
  waiting = setTimeout(look, 120);
});
float.addEventListener("mousedown", (event) => event.preventDefault());
float.addEventListener("click", () => open(selected, area));
float.addEventListener("blur", () => setTimeout(look, 0));
panel.querySelector(".close").addEventListener("click", close);
panel.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !panel.querySelector(".cite:focus-within:not(.hushed)")) close();
});
for (const button of document.querySelectorAll("[data-ask-about]")) {
  button.hidden = false;
  const about = document.querySelector(button.dataset.askAbout);
  button.addEventListener("click", () => open(about.innerText.trim(), button));
}
