import { whyText } from "../../shared/why-text.js";
import { plain } from "../format.js";
import type { Source } from "../source/source.js";
import { useLoaded } from "../source/use-loaded.js";

export interface WhyLineProps {
  readonly source: Source;
  readonly thread: string;
  readonly place: number;
  /** Changes when the thread grows. */
  readonly rows: number;
  readonly onCall: (number: number) => void;
  readonly onFile: (path: string) => void;
}

/** Above a message: which calls were sent it, which fold took it away and why, and who asked for it again. */
export function WhyLine({ source, thread, place, rows, onCall, onFile }: WhyLineProps) {
  const { value } = useLoaded(async () => source.why(thread, place), [source, thread, place, rows]);
  if (value?.place !== place) return <p class="why dim">…</p>;
  return (
    <p class="why">
      {whyText(value).map(({ text, call, file }, at) =>
        call === undefined && file === undefined ? (
          <span key={at}>{plain(text)}</span>
        ) : (
          <button
            key={at}
            class="link"
            onClick={() => (call === undefined ? onFile(file ?? "") : onCall(call))}
          >
            {plain(text)}
          </button>
        ),
      )}
    </p>
  );
}
