import { useState } from "preact/hooks";
import { maxHits, wordsOf } from "../../shared/text-search.js";
import { speaker } from "../../shared/speaker.js";
import { counted, line, plain } from "../format.js";
import { useLoaded } from "../source/use-loaded.js";
import type { SearchView } from "../../view.js";
import type { Pane, PaneProps } from "./pane.js";

const nothing: SearchView = { hits: [], unread: [] };

/** The messages that contain all words, newest first. */
export const searchPane: Pane = { id: "search", label: "search", render: (props) => <Search {...props} /> };

function Search({ source, thread, place: { words }, openHit }: PaneProps) {
  const [everywhere, setEverywhere] = useState(false);
  const scope = everywhere ? "" : thread;
  const { value = nothing, error } = useLoaded(
    async () => source.search(words, scope),
    [source, words, scope],
  );
  const { hits, unread } = value;
  return (
    <div class="scroll pad" tabIndex={0} role="region" aria-label="Search results">
      <label class="dim">
        <input
          type="checkbox"
          checked={everywhere}
          onChange={(event) => setEverywhere(event.currentTarget.checked)}
        />
        in all threads
      </label>
      {error !== "" && <p class="error">{plain(error)}</p>}
      {words === "" ? (
        <p class="dim">
          Type words into the box at the top: the messages that contain all of them are listed here.
        </p>
      ) : (
        <p class="dim">
          {hits.length === maxHits ? `the newest ${maxHits} messages` : counted(hits.length, "message")}
        </p>
      )}
      {unread.map((one) => (
        <p class="error" key={one.thread}>
          {plain(one.thread)} is not searched: {plain(one.damage)}
        </p>
      ))}
      {hits.map((hit) => (
        <button class="hit" key={`${hit.thread}/${hit.place}`} onClick={() => openHit(hit)}>
          <span class="dim">
            {everywhere && `${plain(hit.thread)} `}#{hit.place + 1} {speaker(hit.type)}
            {hit.isInContext ? "" : ", folded"}
          </span>
          <Marked text={line(hit.excerpt)} words={words} />
        </button>
      ))}
    </div>
  );
}

function Marked({ text, words }: { readonly text: string; readonly words: string }) {
  const [first = ""] = wordsOf(words);
  const at = first === "" ? -1 : text.toLowerCase().indexOf(first);
  if (at < 0) return <span>{text}</span>;
  return (
    <span>
      {text.slice(0, at)}
      <mark>{text.slice(at, at + first.length)}</mark>
      {text.slice(at + first.length)}
    </span>
  );
}
