import { toolSchemaText } from "@palimpsest/context/internal";
import { ToolStrategy, type ModelRequest } from "langchain";
import type { InvokableTool } from "./tools/offload-tools.js";

type Tools = ModelRequest["tools"];

interface ToolForm {
  readonly name: string;
  readonly description?: string;
  readonly parameters: {
    readonly properties?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    readonly required?: readonly string[];
  };
}

/**
 * Returns the tools of a call with our own, those that take nulls, in the form that OpenAI takes where it is strict: it refuses a call
 * with a tool whose parameters are not all required.
 */
export async function sentTools(tools: Tools, request: ModelRequest): Promise<Tools> {
  if (!(await isStrict(request))) return tools;
  return tools.map((tool) => (own.has(tool) ? strictForm(tool) : tool));
}

/** Name of the function that returns the model which one of `initChatModel` stands for. */
const instance = "_getModelInstance";

interface Model {
  readonly supportsStrictToolCalling?: boolean | undefined;
  readonly [instance]?: () => Promise<Model>;
}

/** ChatOpenAI binds every tool strictly if it is told to, and beside a native format of the response. */
async function isStrict({ model: given, modelSettings, responseFormat }: ModelRequest): Promise<boolean> {
  const asked = given as Model;
  const model = (await asked[instance]?.()) ?? asked;
  if (!("supportsStrictToolCalling" in model)) return false;
  if (modelSettings?.["strict"] === true || model.supportsStrictToolCalling === true) return true;
  const formats: readonly unknown[] = [responseFormat].flat();
  return formats.some((format) => format !== undefined && !(format instanceof ToolStrategy));
}

/** Returns a tool with all parameters required, where those that may be left out may be null, and without checks that OpenAI refuses. */
function strictForm(tool: Tools[number]): Tools[number] {
  const { name, description = "", parameters } = JSON.parse(toolSchemaText(tool)) as ToolForm;
  const { properties = {}, required = [] } = parameters;
  const strict = Object.entries(properties).map(([key, { description: about, ...checked }]) => {
    const type = Object.fromEntries(Object.entries(checked).filter(([check]) => check !== "minLength"));
    const value = required.includes(key) ? type : { anyOf: [type, { type: "null" }] };
    return [key, about === undefined ? value : { ...value, description: about }];
  });
  const schema = {
    ...parameters,
    properties: Object.fromEntries(strict) as object,
    required: Object.keys(properties),
  };
  return { name, description, schema };
}

interface ToolCall {
  readonly type?: string;
  readonly args?: Readonly<Record<string, unknown>>;
}

/** The tools that take nulls, by the tools that they call, and all of them. */
const wrapped = new WeakMap<object, object>();
const own = new WeakSet<object>();

/**
 * Returns a tool that takes null for a parameter that may be left out, as the strict form asks for it. Its class stays the same. The same
 * tool gives the same one.
 */
export function takingNulls<Tool extends InvokableTool>(tool: Tool): Tool {
  const known = wrapped.get(tool) as Tool | undefined;
  if (known !== undefined) return known;
  const invoke = async (input: ToolCall, config?: never) =>
    tool.invoke((input.type === "tool_call" ? withoutNulls(input) : input) as never, config);
  const taking = Object.defineProperty(Object.create(tool) as Tool, "invoke", { value: invoke });
  wrapped.set(tool, taking);
  own.add(taking);
  return taking;
}

function withoutNulls(call: ToolCall): ToolCall {
  const args = Object.entries(call.args ?? {}).filter(([, value]) => value !== null);
  return { ...call, args: Object.fromEntries(args) };
}
