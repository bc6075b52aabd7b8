import { archiveFolders, laneFolder } from "@palimpsest/context/internal";
import type { LaneRecord } from "@palimpsest/vfs/internal";

const root = laneFolder(undefined);

/**
 * Returns the folders of the lanes of a thread that a search of the agent with the lane `own` leaves out: what others do not share,
 * and stand-ins where the search finds the originals themselves. Pure.
 */
export function hiddenFolders(lanes: readonly LaneRecord[], own: string | undefined): readonly string[] {
  return lanes.flatMap((lane) => {
    const folder = laneFolder(lane);
    const [standIns, ...originals] = [archiveFolders.standIns, ...Object.values(archiveFolders)].map(
      (path) => folder + path.slice(root.length),
    );
    if (lane.name === own || lane.share === "all") return standIns ?? [];
    return lane.share === "none" ? [folder] : originals.filter((path) => path !== standIns);
  });
}
