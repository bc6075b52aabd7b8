import type { Agent, AgentOptions, BuildAgent } from "./agents/agent.js";
import type { World } from "./world/world.js";

/** One situation in which a system was seen to fail. */
export interface Scenario {
  /** What happens, in a few words; unique. */
  readonly title: string;
  /** The system that was seen to fail, with the middleware in question. */
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

/** What a scenario measures of its own, in words and numbers, and whether that is how it should be. */
export interface Finding {
  readonly text: string;
  readonly sound: boolean;
}
