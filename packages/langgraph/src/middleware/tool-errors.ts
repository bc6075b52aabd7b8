import { isGraphBubbleUp } from "@langchain/langgraph";
import { ToolInvocationError, type ToolCallRequest } from "langchain";

/**
 * Returns the error of a tool in the form of which `createAgent` tells the model, as it does of every error in an agent without
 * middleware around its tools. With such middleware it ends the run for all errors but those of an invocation.
 *
 * It is the same object, because other middleware may retry by its class. Graph interrupts stay as they are, and so do errors
 * that have a brand, such as those of other middleware.
 */
export function toldError(error: unknown, { toolCall }: Pick<ToolCallRequest, "toolCall">): unknown {
  if (isGraphBubbleUp(error)) return error;
  if (!(error instanceof Error) || !Object.isExtensible(error))
    return new ToolInvocationError(error, toolCall);
  if (brand in error) return error;
  // What the model is told must not be empty.
  if (error.message === "") error.message = String(error);
  return Object.defineProperty(error, brand, { value: "ToolInvocationError" });
}

/** What langchain tells its errors apart by. */
const brand = "~brand";
