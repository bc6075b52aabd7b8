import { useState } from "preact/hooks";
import type { FileView } from "../../view.js";
import { Text } from "../cards/text.js";
import { bytes, plain, time } from "../format.js";
import { useLoaded } from "../source/use-loaded.js";
import type { Pane, PaneProps } from "./pane.js";

/** The files of the workspace at a step, then those of the archive. */
export const filesPane: Pane = { id: "files", label: "files", render: (props) => <Files {...props} /> };

function Files({ source, thread, step, place, go }: PaneProps) {
  const [filter, setFilter] = useState("");
  const at = step?.row.id ?? "";
  const { file: path } = place;
  const { value, error } = useLoaded(
    async () => (path === "" || at === "" ? undefined : { path, ...(await source.file(thread, at, path)) }),
    [thread, at, path],
  );
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
