import type { Agent, AgentOptions, BuildAgent } from "./agents/agent.js";
import type { World } from "./world/world.js";

/** A situation in which a system failed. */
export interface Scenario {
  /** What happens, in a few words; unique. */
  readonly title: string;
  /** The system that failed, with the middleware in question. */
  readonly peer: string;
  readonly buildPeer: BuildAgent;
  /** Returns a new world, the same every time. */
  readonly world: () => World;
  /** Plays the situation through to its end. */
  readonly play: (agent: Agent, world: World) => Promise<void>;
  readonly options?: AgentOptions;
  /** Returns what else was measured. @default nothing */
  readonly measure?: (agent: Agent, world: World) => Promise<Finding>;
}

/** What a scenario measures in addition, and whether the value is acceptable. */
export interface Finding {
  readonly text: string;
  readonly sound: boolean;
}
