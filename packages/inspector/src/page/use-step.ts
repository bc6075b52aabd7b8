import type { PlacesView, StepView } from "../view.js";
import type { Source } from "./source/source.js";
import { useLoaded } from "./source/use-loaded.js";

/**
 * The step of a checkpoint, at first without its places in the thread, which need the whole thread. While it loads, returns the
 * previous step, but none of another thread or run.
 */
export function useStep(source: Source, thread: string, at: string | undefined) {
  const owner = [source, thread];
  const read = useLoaded(async () => (at === undefined ? undefined : source.step(thread, at)), [at], owner);
  const step = read.value;
  // Asked for after the step: the server reads the whole thread for the first answer.
  const isRead = at !== undefined && step?.row.id === at;
  const placed = useLoaded(async () => (isRead ? source.places(thread, at) : undefined), [at, isRead], owner);
  const places = placed.value;
  return {
    step: step && withPlaces(step, places),
    isLoading: at !== undefined && !isRead,
    happened: places?.happened,
    error: read.error === "" ? placed.error : read.error,
  };
}

function withPlaces(step: StepView, placed: PlacesView | undefined): StepView {
  // While another step loads, its places are those of the previous step.
  if (placed?.places.length !== step.context.length) return step;
  return {
    ...step,
    context: step.context.map((message, at) => ({ ...message, place: placed.places[at] ?? null })),
  };
}
