// Asks an endpoint and gives its server-sent events one by one.

export class Problem extends Error {}

const UNREACHABLE = "Ragstone cannot be reached. Is it still running?";

export const words = (problem) => {
  const text = problem?.detail || problem?.title || "Something went wrong.";
  return text[0].toUpperCase() + text.slice(1);
};

export async function* ask(endpoint, body, signal) {
  const response = await reach(() =>
    fetch(endpoint, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "text/event-stream" },
      body: JSON.stringify(body),
      signal,
    }),
  );
  if (!response.ok) throw new Problem(words(await response.json().catch(() => null)));
  for await (const event of eventsOf(response)) {
    if (event.name === "error") throw new Problem(words(event.data));
    yield event;
    if (event.name === "answer") return;
  }
  throw new Problem("The answer broke off before its end. Please ask again.");
}

// The events of a response as they come. The data of a comment, which keeps the stream open, is null.
export async function* eventsOf(response) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let buffer = "";
  for (;;) {
    const { done, value } = await reach(() => reader.read());
    if (done) return;
    buffer += value;
    for (let end; (end = buffer.indexOf("\n\n")) >= 0; buffer = buffer.slice(end + 2)) yield parse(buffer.slice(0, end));
  }
}

async function reach(step) {
  try {
    return await step();
  } catch (error) {
    throw error.name === "AbortError" ? error : new Problem(UNREACHABLE);
  }
}

function parse(text) {
  const event = { name: "message", data: null };
  for (const line of text.split("\n")) {
    if (line.startsWith("event: ")) event.name = line.slice(7);
    if (line.startsWith("data: ")) event.data = JSON.parse(line.slice(6));
  }
  return event;
}
