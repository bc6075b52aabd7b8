import { useState } from "preact/hooks";

export interface CopyButtonProps {
  /** What is copied. */
  readonly text: () => string | Promise<string>;
  readonly label: string;
  /** @default `label` */
  readonly children?: string;
}

/** Milliseconds for which the button says that it has copied. */
const shown = 1_500;

/** Copies a text. */
export function CopyButton({ text, label, children = label }: CopyButtonProps) {
  const [state, setState] = useState("");
  const copy = async (): Promise<void> => {
    const done = await navigator.clipboard.writeText(await text()).then(
      () => "copied",
      () => "not copied",
    );
    setState(done);
    setTimeout(() => setState(""), shown);
  };
  return (
    <button class="link copy" aria-label={label} onClick={() => void copy()}>
      {state === "" ? children : state}
    </button>
  );
}
