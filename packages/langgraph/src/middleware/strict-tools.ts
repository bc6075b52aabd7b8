import { toolSchemaText } from "@palimpsest/context/internal";
import { ToolStrategy, type ModelRequest } from "langchain";

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
 * Returns the tools of a call with those that the middleware has added in the form that OpenAI takes where it is strict: it refuses a
 * call with a tool whose parameters are not all required. `request` is the request without these tools.
 */
export async function sentTools(tools: Tools, request: ModelRequest): Promise<Tools> {
  if (!(await isStrict(request))) return tools;
  const others = new Set<unknown>(request.tools);
  return tools.map((tool) => (others.has(tool) ? tool : strictForm(tool)));
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

/** Returns the call of a tool without the parameters that are null, which the strict form asks for. */
export function withoutNulls<Call extends { readonly args: Readonly<Record<string, unknown>> }>(
  call: Call,
): Call {
  const args = Object.entries(call.args).filter(([, value]) => value !== null);
  return { ...call, args: Object.fromEntries(args) };
}
