import { useEffect, useRef } from "preact/hooks";

/** Calls the action of a key, unless somebody is typing or a dialog is open. */
export function useKeys(actions: Readonly<Record<string, () => void>>): void {
  const current = useRef(actions);
  current.current = actions;
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement;
      if (document.querySelector("dialog[open]") || event.ctrlKey || event.metaKey || event.altKey) return;
      if (target.matches("input, textarea, select")) {
        if (event.key === "Escape") target.blur();
        return;
      }
      const action = current.current[`${event.shiftKey && event.key.length > 1 ? "Shift+" : ""}${event.key}`];
      if (action === undefined) return;
      event.preventDefault();
      action();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}
