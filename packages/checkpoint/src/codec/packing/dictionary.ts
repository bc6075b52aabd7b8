/**
 * Preset dictionaries for deflating small values, most frequent strings last. Stored values can only be inflated with the same
 * bytes: a change here needs a new mark in `pack`.
 */
const words =
  "the of and to in is that for it as was with be by on not he his but at are this have from or had an they which one you were all her she there would their we him been has when who will no more if out so up said what its about than into them can only other time new some could these two may first then do any like my now over such our man me even most made after also did many off before must well back through years much where your way down should because long each just state people those too mr how little good world make very year still see own work men day get here between both ";

const frequent = [
  "the value of the function returns a new string with the number of lines in the file. If the error is not found, please check that you are using the correct path and try again. For example, this will be used to create the following list of results. ",
  'import {  } from "";\nexport function (): {\n  return ;\n}\nconst  = await ;\nif ( === undefined) throw new Error(``);\n  for (const  of ) {\n',
  '<!DOCTYPE html><html><head><title></title></head><body><div class=""><a href="https://www."></a></div></body></html>\n0123456789 2024-01-01T00:00:00.000Z 2025-01-01T00:00:00.000Z 2026-01-01T00:00:00.000Z INFO WARN ERROR GET POST HTTP/1.1 200 OK application/json; charset=utf-8\n',
  '{"error":null,"status":"ok","success":true,"data":[],"results":[{"url":"https://","title":"","snippet":""}],"description":"","type":"object","properties":{"name":{"type":"string"},"path":{"type":"string"}},"required":[]}',
  '"finish_reason":"tool_calls","system_fingerprint":"fp_","service_tier":"default","logprobs":null,"stop_reason":"end_turn","model_provider":"anthropic","model_provider":"openai","model_name":"gpt-","model":"claude-","output_version":"v1","reasoning":"","thinking":"","signature":""',
  '"usage":{"prompt_tokens":,"completion_tokens":,"total_tokens":,"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}}',
  '[{"type":"text","text":""},{"type":"image_url","image_url":{"url":"data:image/png;base64,"}}]{"file_path":"/","content":"","old_string":"","new_string":"","command":"","pattern":"","query":"","offset":0,"limit":100}{"digest":"","size":,"lines":,"modifiedAt":"2026-","version":"","ancestors":[]}',
  '["SystemMessage",{"additional_kwargs":{},"response_metadata":{}}]["ToolMessage",{"tool_call_id":"call_","name":"","status":"success","artifact":,"additional_kwargs":{},"response_metadata":{}}]',
  '"tool_calls":[{"name":"","args":{},"id":"call_","type":"tool_call"}],"invalid_tool_calls":[],"usage_metadata":{"input_tokens":,"output_tokens":,"total_tokens":,"input_token_details":{"cache_read":0},"output_token_details":{"reasoning":0}}',
  '{"source":"input","step":-1,"parents":{}}{"source":"update","step":{"source":"fork","thread_id":"","run_id":"","lc_agent_name":"","ls_integration":"langgraph","counters_since_delta_snapshot":{"messages":[1,1]}',
  '["~__pregel_pull, model_request",[[0,"messages",[{"@":"m"}]],[1,"branch:to:model_request",null],[2,"branch:to:tools",null],[0,"__pregel_tasks",{"node":"tools","args":{"messages":{"@":"j"},"lg_tool_call":{"name":"","args":{},"id":"call_","type":"tool_call"}}}]]',
  '{"v":4,"ts":"2026-01-01T00:00:00.000Z","channel_values":{"messages":{"@":"L","n":,"v":["m~","m~"],"u":"l"},"files":{"@":"j"}},"channel_versions":{"__start__":,"__pregel_tasks":,"messages":,"branch:to:agent":,"branch:to:model":,"branch:to:tools":},"versions_seen":{"__input__":{},"__start__":{"__start__":},"agent":{"branch:to:agent":},"model":{"branch:to:model":},"tools":{"branch:to:tools":}}}{"source":"loop","step":,"parents":{}}',
];

const messages =
  '["HumanMessage",{"additional_kwargs":{},"response_metadata":{}}]\n["AIMessage",{"tool_calls":[],"invalid_tool_calls":[],"additional_kwargs":{},"response_metadata":{}}]\n';

/** For values over a kilobyte, which gain little from the rest. */
export const shortDictionary = Buffer.from(words + messages);

export const dictionary = Buffer.from(words + frequent.join("") + messages);
