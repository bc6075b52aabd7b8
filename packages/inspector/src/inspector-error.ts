/** Wrong input of somebody who looks at a thread. Its message is all that this person needs to see. */
export class InspectorError extends Error {
  override readonly name = "InspectorError";
}
