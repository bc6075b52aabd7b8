import { openWithToken } from "../place.js";

/** In place of the page when the server refuses its token: what to do, and where to put the right one. */
export function AccessScreen() {
  return (
    <main class="screen">
      <h1>This page has no access</h1>
      <p>
        The token of this browser is missing, or it belongs to another start of the inspector. Open the url
        that <code>palimpsest inspect</code> printed, or paste that url or its token here. With{" "}
        <code>--token</code>, a token stays valid from start to start.
      </p>
      <form onSubmit={submit}>
        <input name="token" aria-label="Url or token" placeholder="http://127.0.0.1:…/#token=…" required />
        <button class="button primary">Open</button>
      </form>
    </main>
  );
}

function submit(event: Event): void {
  event.preventDefault();
  const token = new FormData(event.currentTarget as HTMLFormElement).get("token");
  if (typeof token === "string") openWithToken(token);
}
