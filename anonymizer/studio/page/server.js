// Talking to the server: the token comes with the first address, is kept for this tab, and never shown again.

const KEY = "anonymizer-token";
const given = new URLSearchParams(location.search).get("token");
if (given) {
  sessionStorage.setItem(KEY, given);
  history.replaceState(null, "", location.pathname + location.hash);
}
const headers = () => ({ "x-anonymizer-token": sessionStorage.getItem(KEY) ?? "" });

// The address of a page beside the release, for a tab of its own; a link cannot send a header.
export const pageAddress = (name) =>
  `/api/page/${encodeURIComponent(name)}?token=${encodeURIComponent(sessionStorage.getItem(KEY) ?? "")}`;

export class Refused extends Error {
  constructor(message, status, fault = null) {
    super(message);
    Object.assign(this, { status, fault });
  }
}

async function read(response) {
  const found = await response.json().catch(() => ({ error: "the answer cannot be read; reload the page." }));
  if (!response.ok) throw new Refused(found.error ?? "the server refused this.", response.status, found.fault);
  return found;
}

export async function ask(name, body = {}) {
  const options = { method: "POST", headers: headers(), body: JSON.stringify(body) };
  let response;
  try {
    response = await fetch(`/api/${name}`, options);
  } catch {
    throw new Refused("the studio does not answer; is it still running?", 0);
  }
  return read(response);
}

export async function upload(file, stated = {}) {
  const response = await fetch(`/api/upload?${new URLSearchParams({ ...stated, name: file.name })}`, { method: "POST", headers: headers(), body: file });
  return read(response);
}

// Server-sent events by fetch, which, unlike EventSource, sends a header with the token.
export async function listen(heard, lost) {
  for (;;) {
    try {
      const response = await fetch("/api/events", { headers: headers() });
      if (!response.ok) {
        lost((await response.json()).error, true);
        return;
      }
      await readEvents(response.body.pipeThrough(new TextDecoderStream()).getReader(), heard);
    } catch {
      // told below; the server may come back
    }
    lost("the studio does not answer; is it still running?", false);
    await new Promise((done) => setTimeout(done, 1000));
  }
}

async function readEvents(reader, heard) {
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const lines = text.slice(0, end).split("\n");
      text = text.slice(end + 2);
      const kind = lines.find((line) => line.startsWith("event: "))?.slice(7);
      const data = lines.find((line) => line.startsWith("data: "))?.slice(6);
      if (!kind) continue;
      try {
        heard(kind, JSON.parse(data));
      } catch (error) {
        console.error(error); // a picture that cannot be drawn must not end the stream
      }
    }
  }
}
