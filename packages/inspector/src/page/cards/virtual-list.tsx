import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

export interface VirtualListProps {
  /** How many rows there are. */
  readonly length: number;
  /** Pixels of a row. All rows are equally high. */
  readonly rowHeight: number;
  readonly label: string;
  /** A row that is scrolled into view when it changes. */
  readonly focus: number | undefined;
  readonly onRange?: (from: number, to: number) => void;
  readonly row: (index: number) => ComponentChildren;
}

/** Rows beyond the visible ones. */
const margin = 20;

/** A list that holds only its visible rows. */
export function VirtualList({ length, rowHeight, label, focus, onRange, row }: VirtualListProps) {
  const box = useRef<HTMLDivElement>(null);
  const [range, setRange] = useState({ from: 0, to: 60 });
  const measure = (): void => {
    const { scrollTop = 0, clientHeight = 600 } = box.current ?? {};
    const from = Math.max(0, Math.floor(scrollTop / rowHeight) - margin);
    const to = Math.min(length, Math.ceil((scrollTop + clientHeight) / rowHeight) + margin);
    setRange((known) => (known.from === from && known.to === to ? known : { from, to }));
  };
  useLayoutEffect(() => {
    const { current } = box;
    if (current && focus !== undefined) {
      const top = focus * rowHeight;
      const isSeen = top >= current.scrollTop && top + rowHeight <= current.scrollTop + current.clientHeight;
      if (!isSeen) current.scrollTop = top - current.clientHeight / 2;
    }
    measure();
  }, [focus, length]);
  useEffect(() => onRange?.(range.from, range.to), [range.from, range.to, length]);
  const shown = Array.from({ length: Math.max(0, range.to - range.from) }, (_, at) => range.from + at);
  return (
    <div class="list" ref={box} onScroll={measure} role="list" aria-label={label} tabIndex={0}>
      <div style={{ height: `${length * rowHeight}px` }}>
        {shown.map((index) => (
          <div
            key={index}
            class="list-row"
            role="listitem"
            style={{ top: `${index * rowHeight}px`, height: `${rowHeight}px` }}
          >
            {row(index)}
          </div>
        ))}
      </div>
    </div>
  );
}
