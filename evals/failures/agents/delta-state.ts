import { MessagesDeltaValue, StateSchema } from "@langchain/langgraph";

/** State of an agent whose checkpoints hold what was written, and not the messages as they are. */
export const deltaState = new StateSchema({ messages: MessagesDeltaValue });
