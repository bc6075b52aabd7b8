import { useState } from "preact/hooks";
import { maxHits, wordsOf } from "../../shared/text-search.js";
import { speaker } from "../../shared/speaker.js";
import type { SearchHit, StepRow, StepView } from "../../view.js";
import { bytes, line, plain, time } from "../format.js";
import { Text } from "./message-card.js";
import type { Source } from "../source/source.js";
import { useLoaded } from "../source/use-loaded.js";

interface PaneProps {
  readonly source: Source;
  readonly thread: string;
  readonly step: StepView;
}

/** The files of the workspace and of the archive at a step. */
export function FilesPane({ source, thread, step }: PaneProps) {
  const [path, setPath] = useState("");
  const at = step.row.id;
  const { value, error } = useLoaded(
    async () => (path === "" ? undefined : source.file(thread, at, path)),
    [thread, at, path],
  );
  return (
    <div class="scroll pad" tabIndex={0} role="region" aria-label="Files">
      {step.files.length === 0 && <p class="dim">There are no files at this step.</p>}
      {step.files.map((file) => (
        <div key={file.path}>
          <button
            class="file"
            aria-expanded={file.path === path}
            onClick={() => setPath(file.path === path ? "" : file.path)}
          >
            <code>{plain(file.path)}</code>
            <span class="spacer" />
            <span class="dim">{file.modifiedAt === "" ? "archive" : time(file.modifiedAt)}</span>
            <span class="dim">{bytes(file.size)}</span>
          </button>
          {file.path === path && error !== "" && <p class="error">{plain(error)}</p>}
          {file.path === path && value && <Text text={value.text} characters={value.characters} key={path} />}
        </div>
      ))}
    </div>
  );
}

export interface SearchPaneProps {
  readonly source: Source;
  readonly thread: string;
  readonly words: string;
  readonly onHit: (hit: SearchHit) => void;
}

/** The messages that contain all words, newest first. */
export function SearchPane({ source, thread, words, onHit }: SearchPaneProps) {
  const [everywhere, setEverywhere] = useState(false);
  const scope = everywhere ? "" : thread;
  const { value = [], error } = useLoaded(async () => source.search(words, scope), [source, words, scope]);
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
          {value.length === maxHits ? `the newest ${maxHits} messages` : `${value.length} messages`}
        </p>
      )}
      {value.map((hit) => (
        <button class="hit" key={`${hit.thread}/${hit.place}`} onClick={() => onHit(hit)}>
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

export interface ChangesPaneProps extends PaneProps {
  readonly rows: readonly StepRow[];
  readonly index: number;
}

/** What changed between two steps, by default since the one before. */
export function ChangesPane({ source, thread, step, rows, index }: ChangesPaneProps) {
  const [other, setOther] = useState("");
  const from = rows.find(({ step: number }) => String(number) === other) ?? rows[index - 1];
  const { value = [], error } = useLoaded(
    async () => (from ? source.diff(thread, from.id, step.row.id) : []),
    [thread, from?.id, step.row.id],
  );
  return (
    <div class="scroll pad" tabIndex={0} role="region" aria-label="Changes">
      <label class="dim">
        since step{" "}
        <input
          class="step-number"
          value={other}
          placeholder={String(from?.step ?? "")}
          onInput={(event) => setOther(event.currentTarget.value.trim())}
        />
      </label>
      {error !== "" && <p class="error">{plain(error)}</p>}
      {value.length === 0 && <p class="dim">Nothing changed.</p>}
      {value.map(({ change, what, name, text }) => (
        <div class={`change ${change}`} key={`${what} ${name}`}>
          <b>{change}</b> {what} <code>{plain(name)}</code>
          <div class="dim">{line(text)}</div>
        </div>
      ))}
    </div>
  );
}
