import { useMemo, useState } from "preact/hooks";
import { lastUpTo, type CallPositions } from "../../shared/call-positions.js";
import type { FileView, StepRow } from "../../view.js";
import { Text } from "../cards/text.js";
import { bytes, count, plain, time } from "../format.js";
import { useLoaded } from "../source/use-loaded.js";
import type { Pane, PaneProps } from "./pane.js";

/** The files of the workspace at a step, then those of the archive. */
export const filesPane: Pane = { id: "files", label: "files", render: (props) => <Files {...props} /> };

function Files({ source, thread, step, place, rows, calls, go, select }: PaneProps) {
  const [filter, setFilter] = useState("");
  const at = step?.row.id ?? "";
  const { file: path } = place;
  const { value, error } = useLoaded(
    async () => (path === "" || at === "" ? undefined : { path, ...(await source.file(thread, at, path)) }),
    [thread, at, path],
  );
  const writers = useMemo(() => writersOf(rows), [rows]);
  if (step === undefined) return null;
  return (
    <div class="scroll pad" tabIndex={0} role="region" aria-label="Files">
      <input
        class="filter"
        type="text"
        placeholder="Filter by path"
        aria-label="Filter by path"
        value={filter}
        onInput={(event) => setFilter(event.currentTarget.value)}
      />
      {step.files.length === 0 && <p class="dim">There are no files at this step.</p>}
      {groupsOf(step.files, filter).map(
        ([name, files]) =>
          files.length > 0 && (
            <section key={name}>
              <h2>
                {name} <span class="dim">{files.length}</span>
              </h2>
              {files.map((file) => (
                <div key={file.path}>
                  <FileRow file={file} isOpen={file.path === path} onOpen={(file) => go({ file })} />
                  {file.path === path && <Writer {...{ calls, select }} writer={writers.get(nameOf(path))} />}
                  {file.path === path && error !== "" && <p class="error">{plain(error)}</p>}
                  {file.path === path && value?.path === path && (
                    <Text text={value.text} characters={value.characters} key={path} />
                  )}
                </div>
              ))}
            </section>
          ),
      )}
    </div>
  );
}

interface Written {
  /** Position of the row whose fold wrote the file. */
  readonly row: number;
  readonly kind: string;
}

/** Returns the first fold that wrote files of each name. Pure. */
function writersOf(rows: readonly StepRow[]): ReadonlyMap<string, Written> {
  const writers = new Map<string, Written>();
  for (const [row, { folds }] of rows.entries())
    for (const { path, kind } of folds)
      if (!writers.has(nameOf(path))) writers.set(nameOf(path), { row, kind });
  return writers;
}

/** A fold writes a text and a record of one name, and may cover a part of a text, as in `/context/a.md#12`. */
function nameOf(path: string): string {
  return path.replace(/(?:\.\w+)?(?:#.*)?$/u, "");
}

interface WriterProps extends Pick<PaneProps, "select"> {
  readonly calls: CallPositions;
  readonly writer: Written | undefined;
}

/** The way to the fold that wrote an open file. */
function Writer({ calls, writer, select }: WriterProps) {
  if (writer === undefined) return null;
  const next = calls.stops[lastUpTo(calls.stops, writer.row - 1) + 1] ?? writer.row;
  return (
    <p class="dim">
      written by a fold of kind {plain(writer.kind)} before{" "}
      <button class="link" onClick={() => select(next)}>
        call {count(calls.counts[next] ?? 0)}
      </button>
    </p>
  );
}

function groupsOf(
  files: readonly FileView[],
  filter: string,
): readonly (readonly [string, readonly FileView[]])[] {
  const found = files.filter(({ path }) => path.toLowerCase().includes(filter.toLowerCase()));
  return [
    ["workspace", found.filter(({ modifiedAt }) => modifiedAt !== "")],
    ["archive", found.filter(({ modifiedAt }) => modifiedAt === "")],
  ];
}

interface FileRowProps {
  readonly file: FileView;
  readonly isOpen: boolean;
  readonly onOpen: (path: string) => void;
}

function FileRow({ file: { path, size, modifiedAt }, isOpen, onOpen }: FileRowProps) {
  return (
    <button class="file" aria-expanded={isOpen} onClick={() => onOpen(isOpen ? "" : path)}>
      <code>{plain(path)}</code>
      <span class="spacer" />
      <span class="dim">{time(modifiedAt)}</span>
      <span class="dim">{bytes(size)}</span>
    </button>
  );
}
