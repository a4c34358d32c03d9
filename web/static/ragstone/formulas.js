// Draws formulas as MathML. The server reads the TeX and answers with trees; what is not in this list stays as TeX.

const SPACE = "http://www.w3.org/1998/Math/MathML";
const ELEMENTS = new Set(
  ("math mrow mi mn mo mtext mspace mfrac msqrt mroot msub msup msubsup munder mover munderover mmultiscripts " +
    "mprescripts none mtable mtr mtd mstyle mpadded mphantom menclose").split(" "),
);
const MOST = 200;

function grow([name, attributes, children]) {
  if (!ELEMENTS.has(name)) throw new Error(`no element of a formula: ${name}`);
  const node = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) {
    if (/^(on|href|xlink|style|class|id)/i.test(key)) throw new Error(`no attribute of a formula: ${key}`);
    node.setAttribute(key, value);
  }
  node.append(...children.map((child) => (typeof child === "string" ? child : grow(child))));
  return node;
}

export async function drawFormulas(root, endpoint) {
  const spans = [...root.querySelectorAll(".tex:not([data-drawn])")].slice(0, MOST);
  if (!spans.length || !endpoint) return;
  try {
    const response = await fetch(endpoint, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ formulas: spans.map((span) => span.textContent) }),
    });
    if (!response.ok) return;
    const { mathml } = await response.json();
    spans.forEach((span, at) => {
      span.dataset.drawn = "";
      if (mathml[at]) span.replaceWith(grow(mathml[at]));
    });
  } catch {
    // the TeX can be read as well
  }
}
