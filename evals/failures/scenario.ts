import type { Agent, AgentOptions, BuildAgent } from "./agents/agent.js";
import type { World } from "./world/world.js";

/** A situation in which a system failed. */
export interface Scenario {
  /** What happens, in a few words; unique. */
  readonly title: string;
  /** The system that failed, with the middleware in question. */
  readonly peer: string;
  readonly buildPeer: BuildAgent;
  readonly options?: AgentOptions;
  /** Returns a new world, the same every time. */
  readonly world: () => World;
  /** Plays the situation through to its end, and returns what it measured beside the common facts. */
  readonly play: Play;
}

export type Play = (agent: Agent, world: World) => Promise<Finding | void>;

/** What a scenario measures in addition, and whether the value is acceptable. */
export interface Finding {
  readonly text: string;
  readonly sound: boolean;
}
